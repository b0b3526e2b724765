// A plugin that needs one function which no library of this machine defines. FAKE_SYMBOL is its name as the linker sees
// it. It is linked against a stand-in (stand_in.cpp) that is not there, or is another library, when the plugin is
// opened.
extern "C" int needed_function() __asm__(FAKE_SYMBOL);

// Never called: the relocation alone is what the dynamic linker trips over.
int (*const myops_fake_needs)() = needed_function;
extern "C" int myops_fake_call() { return myops_fake_needs(); }
