/* The bridge's C ABI: the one loader part that links libtorch. libmyops_loader opens it by path once torch is mapped
 * and the bridge itself has been judged. JSON in and out; results are freed with myops_bridge_free(). NULL result: out
 * of memory only; any other failure is {"error": text}.
 *
 * Thread rule: every function may be called from any thread, also while other threads call operators: a call reads the
 * operators' dispatch tables only, and a snapshot leaves the dispatcher as it was. It must not run while another thread
 * registers or removes kernels: torch guards its list of operators against that (c10::LeftRight), but not the kernels
 * of one operator, which dumpState() walks. The loader takes its snapshots under the lock that serialises its loads.
 */
#ifndef MYOPS_BRIDGE_C_H
#define MYOPS_BRIDGE_C_H

#ifdef __cplusplus
extern "C" {
#endif

#define MYOPS_BRIDGE_ABI 2

int myops_bridge_abi(void);

/* {"version": "2.15.0", "git": "...", "cuda": "13.2"|"" , "cxx11_abi": "new"}: of the torch this process really runs.
 * Looks at constants of libtorch_cpu only; never initialises CUDA. */
char* myops_bridge_torch(void);

/* What the dispatcher holds. Request:
 *   {"scope": "all"}                                        every operator of every namespace
 *   {"scope": "namespaces", "namespaces": ["myops"]}        operators of these namespaces, all keys; and "pairs"
 *   {"scope": "pairs", "pairs": [["myops::rms_norm", "CPU"], …]}   only these; with the key "", the operator alone
 *   "signatures": bool                                      ask for "cpp" and "cpp_symint" too (default: true)
 * Result: {"schemas": {op: text}, "defined_at": {op: text}, "kernels": {op: {key: registration text}},
 *          "cpp": {op: text}, "cpp_symint": {op: text}, "dangling": [op…], "fallbacks": [key…],
 *          "libraries": {namespace: text}}
 * op is "ns::name" or "ns::name.overload"; key is torch's dispatch key name, aliases included ("Autograd",
 * "CompositeExplicitAutograd"). "dangling" (kernels without a schema) is held to the scope's operators, "fallbacks" is
 * not. Registration text is torch's own, of the kernel in force:
 *   registered at FILE:LINE :: (inferred schema) [ boxed unboxed ]
 * "libraries" has the namespaces that have their one TORCH_LIBRARY block, with its place, of those asked for (of every
 * operator's, for "all"; none for "pairs"). A TORCH_LIBRARY_FRAGMENT, also that of Python's custom_op, is none.
 *
 * Cost on torch 2.15: 40 µs a call and 25 µs an operator with eight kernels, that is 3 µs a pair; its signatures 20 µs
 * more. All 3,500 operators without signatures: 95 ms.
 */
char* myops_bridge_snapshot(const char* request);

void myops_bridge_free(char* result);

#ifdef __cplusplus
}
#endif
#endif
