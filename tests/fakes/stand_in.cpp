// What needs.cpp is linked against: a library that defines FAKE_SYMBOL under the SONAME of one that does not.
extern "C" [[gnu::visibility("default")]] int needed_function() __asm__(FAKE_SYMBOL);
extern "C" int needed_function() { return 0; }
