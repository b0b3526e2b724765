/* The loader's C ABI: options in, one report out, both JSON text. No C++ type and no exception crosses it.
 *
 * Every function takes an options object (NULL or "" means {}) and returns a status: 0 fine, 1 something asked for cannot
 * be loaded, 2 the options were wrong. *result receives JSON text in every case, owned by the caller: myops_free().
 * Its member "text" holds the same for a terminal. On status 2 it is {"error": {"code", "subject", "expected", "found", "hint"}}.
 *
 * Options, all optional:
 *   "paths": [folder or file…] (searched first)   "late_paths": [folder…] (searched after the default folders)
 *   "torch": folder   "require": [key…]   "prefer": [glob…]   "disable": [glob…]
 *   "allow_incomplete": bool     "allow_unstamped": bool   "trust": "normal"|"strict"      "open_torch": bool
 *   "host": facts object (myops_list and myops_plan)       "files": [file…] (myops_check)
 *   "op": name (myops_table)
 *
 * Thread rule: every function may be called from any thread; loads are serialised. Registering kernels while another
 * thread calls the same operators is unsafe inside torch: load before the first call.
 */
#ifndef MYOPS_LOADER_C_H
#define MYOPS_LOADER_C_H

#ifdef __cplusplus
extern "C" {
#endif

#define MYOPS_LOADER_ABI 1

int myops_loader_abi(void);
const char* myops_loader_version(void);

/* These look only; nothing is opened. */
int myops_list(const char* options, char** result);
int myops_check(const char* options, char** result);
int myops_plan(const char* options, char** result);
int myops_facts(const char* options, char** result);
int myops_doctor(const char* options, char** result);

/* Loads what fits, verifies it, and keeps the report. Idempotent: files already opened are not opened again. */
int myops_load(const char* options, char** result);
/* The report of the last load in this process; status 1 before the first. */
int myops_report(const char* options, char** result);
/* Operators x dispatch keys of this process, with the library that provides each kernel. Needs a mapped torch. */
int myops_table(const char* options, char** result);

/* Writes a plugin's manifest. Options: "file", "output" (default: in place), "schema" | "from", "torch", "name", "version",
 * "namespace", "set", "level". Opens the plugin in this process to measure it: the command line runs it in a child. */
int myops_stamp(const char* options, char** result);

/* Calls `callback` with every line the loader has to say (level: "error", "warn", "info", "debug"); NULL stops it. */
typedef void (*myops_log_callback)(const char* level, const char* line, void* user);
void myops_set_log(myops_log_callback callback, void* user);

void myops_free(char* result);

#ifdef __cplusplus
}
#endif
#endif
