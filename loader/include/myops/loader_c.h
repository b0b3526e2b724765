/* The loader's C ABI: options in, one answer out, both JSON text. No C++ type and no exception crosses it.
 *
 * Functions with `options` take an options object (NULL or "" means {}) and return a status: 0 fine, 1 something asked
 * for cannot be loaded or the loader itself failed, 2 the options were wrong. *result receives JSON text in every case
 * (NULL only where memory ran out), owned by the caller: myops_free(). Its member "text" holds the same for a terminal.
 * Where there is no answer but a fault, always so on status 2, it is {"error": {"code", "subject", "expected", "found",
 * "hint"}, "text"}.
 *
 * Options, all optional; one of another name is an error:
 *   "paths": [folder or file…] (searched first)   "late_paths": [folder…] (searched after the default folders)
 *   "torch": folder   "require": [key…]   "prefer": [glob…]   "disable": [glob…]
 *   "allow_incomplete": bool     "allow_unstamped": bool   "allow_no_gpu": bool
 *   "trust": "normal"|"strict"   "open_torch": bool   "lock": file (as myops_lock writes it: no other library is taken,
 *     and trust is strict)   "output": file (myops_lock)
 *   "explain_missing": "all"|"gradients"|"nothing" (myops_load: a call for which a kernel is missing is told which
 *     library would have it, and why that was not loaded. "all": by stand-ins on CPU, CUDA and PrivateUse1, where torch
 *     would have no kernel at all, and on Autograd; "gradients": on Autograd alone, for a caller that tells the rest by
 *     myops_missing; "nothing": torch's own words)
 *   "quiescent": bool (myops_load: no operator of the set runs meanwhile, so that stand-ins may be replaced)
 *   "host": facts object, as myops_facts gives it (myops_list, myops_check, myops_plan, myops_doctor:
 *     for a process on that machine, with nothing of this one in it; its member "torch", where it has one and no
 *     "torch" is named, stands for the torch there, of which only version, CUDA and ABI are known)
 *   "files": [file…] (myops_check)   "op": name (myops_table, myops_missing)   "key": dispatch key (myops_missing)
 *   "helper": [program, argument…], "timeout": seconds (the functions that start a child process: 300 if not given,
 *     120 for myops_stamp; a child that takes longer is killed, with 0 at once. By a helper myops_plan, myops_doctor
 * and myops_facts ask the NVIDIA driver, where there is a GPU, for its compute capability)
 *
 * Thread rule: every function may be called from any thread, but from no library's constructor; loads, and whatever
 * asks torch's dispatcher, come one after the other, so that a caller must hold no lock that the log callback waits
 * for. fork() waits for them too, so that a child may load. Registering kernels while another thread calls the same
 * operators is unsafe inside torch: load before the first call.
 */
#ifndef MYOPS_LOADER_C_H
#define MYOPS_LOADER_C_H

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

#define MYOPS_LOADER_ABI 1

int myops_loader_abi(void);
const char* myops_loader_version(void);

/* These look only; no candidate is opened. Of myops_list, myops_facts and myops_doctor status 1 means that the loader
 * itself failed. What myops_doctor answers is a plan's report with, besides, "environment" (the variables that are
 * set), "bridge", "checks" (the families of checks, each with its "codes") and "table" (operators x dispatch keys as
 * the manifests have them: "planned" or not; no dispatcher is asked). */
int myops_list(const char* options, char** result);
int myops_check(const char* options, char** result);
int myops_plan(const char* options, char** result);
int myops_facts(const char* options, char** result);
int myops_doctor(const char* options, char** result);

/* Loads what fits, verifies it, and keeps the report. Idempotent: files already opened are not opened again. Status 1
 * also where there was nothing to load. */
int myops_load(const char* options, char** result);
/* The report of the last load in this process; status 1 before the first, and where that was a fault. */
int myops_report(const char* options, char** result);
/* Why the operator "op" has no kernel for the key "key", as far as the last load in this process knows: "text", one
 * line. */
int myops_missing(const char* options, char** result);
/* Operators x dispatch keys of this process, with the library that provides each kernel. Needs a mapped torch. */
int myops_table(const char* options, char** result);

/* myops_load and myops_table in a child process, which opens torch itself; what kills the child is a fault in the
 * answer. The child is "helper" with two more arguments, and must exit with what myops_child() returns for those: the
 * status of its answer. myops_child() has standard output to itself, where it writes for its parent: a line
 * "opening FILE" for each file before it is opened, then the answer as a line of JSON. What anybody else prints there
 * goes to standard error. */
int myops_load_in_child(const char* options, char** result);
int myops_table_in_child(const char* options, char** result);
int myops_child(const char* task, const char* argument);

/* Writes a lock file to "output": the libraries in the search path, for every torch, and the bridges, each with the
 * hash of its content; "left_out" says what could not be looked at (status 1). */
int myops_lock(const char* options, char** result);

/* Writes a plugin's manifest. Options: "file", "output" (default: in place), "schema" | "from", "torch", "name",
 * "version", "namespace", "set", "level", "cuda_runtime", "helper", "timeout". Opens the plugin to measure it: in a
 * child, where there is a "helper", else in this process. */
int myops_stamp(const char* options, char** result);

/* Calls `callback` with every line the loader has to say (level: "error", "warn", "info", "debug"), in the thread that
 * loads; NULL stops it. A line that another thread is saying may still arrive after this has returned, with the `user`
 * of before: keep that for as long as the process. The callback must not longjmp; an exception that it throws is
 * dropped. MYOPS_LOG=error|warn|plan sends the lines to stderr besides. */
typedef void (*myops_log_callback)(const char* level, const char* line, void* user);
void myops_set_log(myops_log_callback callback, void* user);

/* A member of an answer, for callers without a JSON reader: a string's text, a list's items one a line, anything else
 * as JSON text; NULL where there is none. To be freed. */
char* myops_member(const char* json, const char* name);

void myops_free(char* result);

#ifdef __cplusplus
}
#endif
#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#endif
