/* The bridge's C ABI: the one loader part that links libtorch. libmyops_loader opens it by path once torch is mapped and
 * the bridge itself has been judged. JSON in and out; results are freed with myops_bridge_free(). NULL result: out of memory only;
 * any other failure is {"error": text}.
 */
#ifndef MYOPS_BRIDGE_C_H
#define MYOPS_BRIDGE_C_H

#ifdef __cplusplus
extern "C" {
#endif

#define MYOPS_BRIDGE_ABI 1

int myops_bridge_abi(void);

/* {"version": "2.15.0", "git": "...", "cuda": "13.2"|"" , "cxx11_abi": "new"}: of the torch this process really runs. */
char* myops_bridge_torch(void);

/* What the dispatcher holds. Request:
 *   {"scope": "all"}                                        every operator of every namespace (38 ms)
 *   {"scope": "namespaces", "namespaces": ["myops"]}        operators of these namespaces, all keys
 *   {"scope": "pairs", "pairs": [["myops::rms_norm", "CPU"], …]}   only these (microseconds)
 * Result: {"schemas": {op: text}, "defined_at": {op: text}, "kernels": {op: {key: registration text}},
 *          "cpp": {op: text}, "cpp_symint": {op: text}, "dangling": [op…], "fallbacks": [key…]}
 * op is "ns::name" or "ns::name.overload"; key is torch's dispatch key name, aliases included ("Autograd",
 * "CompositeExplicitAutograd").
 */
char* myops_bridge_snapshot(const char* request);

void myops_bridge_free(char* result);

#ifdef __cplusplus
}
#endif
#endif
