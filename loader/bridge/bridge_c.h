/* The bridge's C ABI: the one loader part that links libtorch. libmyops_loader opens it by path once torch is mapped
 * and the bridge itself has been judged. Questions go in as a table, and each fact comes back by a call: the answer is
 * built where it is wanted, in no text between.
 *
 * Thread rule: a snapshot may be taken in any thread, also while other threads call operators: it reads the operators'
 * dispatch tables only, and leaves the dispatcher as it was. It must not run while another thread
 * registers or removes kernels: torch guards its list of operators against that (c10::LeftRight), but not the kernels
 * of one operator, which dumpState() walks. The loader takes its snapshots under the lock that serialises its loads.
 */
#ifndef MYOPS_BRIDGE_C_H
#define MYOPS_BRIDGE_C_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MYOPS_BRIDGE_ABI 4

int myops_bridge_abi(void);

/* What may be asked. Operators are "ns::name" or "ns::name.overload", keys torch's names of dispatch keys, aliases
 * included ("Autograd", "CompositeExplicitAutograd"). */
enum myops_bridge_ask {
  MYOPS_ASK_EVERYTHING = 1, /* every operator, and the library block of every namespace that has one */
  MYOPS_ASK_NAMESPACE = 2,  /* every operator of the namespace `name` */
  MYOPS_ASK_OPERATOR = 3,   /* the operator `name`, with its kernels on all keys */
  MYOPS_ASK_KERNEL = 4,     /* the operator `name`, with its kernel on `key`; with none for the key "" */
  MYOPS_ASK_LIBRARY = 5,    /* the library block of the namespace `name` */
  MYOPS_ASK_SIGNATURES = 6  /* the C++ signatures of all operators asked for: 20 µs more for each */
};

struct myops_bridge_question {
  int ask;          /* myops_bridge_ask */
  const char* name; /* NULL where none belongs to it */
  const char* key;  /* likewise */
};

/* What may be told, and with what. Texts end with the call that tells them; what has no part in a fact is "". */
enum myops_bridge_fact {
  MYOPS_TOLD_SCHEMA = 1,     /* name: operator; text: its canonical schema */
  MYOPS_TOLD_DEFINED_AT = 2, /* name: operator; text: "registered at FILE:LINE" */
  MYOPS_TOLD_KERNEL = 3,     /* name: operator; key; text: torch's registration text of the kernel in force,
                                "registered at FILE:LINE :: (inferred schema) [ boxed unboxed ]" */
  MYOPS_TOLD_CPP = 4,        /* name: operator; text: the C++ signature of its kernels with plain ints */
  MYOPS_TOLD_CPP_SYMINT = 5, /* the same of those with c10::SymInt */
  MYOPS_TOLD_DANGLING = 6,   /* name: an operator that was asked for, and has kernels without a schema */
  MYOPS_TOLD_FALLBACK = 7,   /* key: one that has a backend fallback; told whatever was asked */
  MYOPS_TOLD_LIBRARY = 8,    /* name: a namespace that has its one TORCH_LIBRARY block; text: the place of it. A
                                TORCH_LIBRARY_FRAGMENT, also that of Python's custom_op, is none */
  MYOPS_TOLD_ERROR = 9,      /* text: why the answer ends here */
  MYOPS_TOLD_EXPLAINED = 10  /* name: operator; key: one on which a stand-in of myops_bridge_stand_in() is, and no
                                kernel is told */
};

/* Must not throw. */
typedef void (*myops_bridge_tell)(void* context, int fact, const char* name, const char* key, const char* text);

/* What the dispatcher holds of what is asked for, in no promised order. 0: told to the end; 1: MYOPS_TOLD_ERROR was the
 * last.
 *
 * Cost on torch 2.15: 25 µs an operator with eight kernels, that is 3 µs a pair. A namespace takes a copy of the names
 * of all 3,500 operators besides.
 */
int myops_bridge_snapshot(const struct myops_bridge_question* questions, size_t count, myops_bridge_tell tell,
                          void* context);

/* A kernel that nobody registered, and what whoever needs it is told. */
struct myops_bridge_absence {
  const char* op;
  /* "CPU", "CUDA", "PrivateUse1": the call throws NotImplementedError with the text. "Autograd": the call computes, and
   * a gradient throws that would pass through a result for which nothing in the kernel recorded any. */
  const char* key;
  const char* text; /* of no account to myops_bridge_stand_aside() */
};

/* Puts stand-ins where operators have no kernel of their own, or of the composite kind; one that is there already gets
 * the new text, which is safe at any time. 0; or 1 with MYOPS_TOLD_ERROR.
 *
 * Thread rule: nobody may call the operators meanwhile, as with any registration of a kernel. Whoever registers the
 * real kernel takes the stand-in away first: on "CPU" and the like it would hide composite kernels, and a second kernel
 * on one key is a warning of torch's. */
int myops_bridge_stand_in(const struct myops_bridge_absence* absences, size_t count, myops_bridge_tell tell,
                          void* context);
/* Takes those on these places away, under the same rule; where there is none nothing happens. Errors likewise. */
int myops_bridge_stand_aside(const struct myops_bridge_absence* places, size_t count, myops_bridge_tell tell,
                             void* context);

#ifdef __cplusplus
}
#endif
#endif
