// Needs a function that no library has.
extern "C" int myops_function_that_is_nowhere();
extern "C" [[gnu::visibility("default")]] int myops_needing_answer() { return myops_function_that_is_nowhere(); }
