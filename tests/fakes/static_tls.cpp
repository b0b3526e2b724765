// A plugin with more static thread-local storage than the dynamic linker keeps for libraries opened at run time.
// Nothing in the file proves that opening fails (how much is left depends on the process), so it is judged usable, and
// then refused by dlopen itself: "cannot allocate memory in static TLS block".
namespace {

thread_local char block[1 << 20] [[gnu::tls_model("initial-exec")]];

}  // namespace

extern "C" char* myops_fake_block() { return block; }
