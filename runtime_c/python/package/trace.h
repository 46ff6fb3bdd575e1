/* What trace.c, trace_value.c and trace_file.c share: JITFFI_TRACE=file, what a program's functions are called with.
 *
 *   set_python_entry, script_setup --core_trace_entry-->  the Function's ml_meth is trace.c's, which calls the entry
 *
 * Without JITFFI_TRACE that is one test where an entry is installed, and nothing where it is called. With it each call is
 * counted at its site, the instruction of the Python code that makes it, and becomes a line of text, if it is its turn.
 *
 *   jitffi-trace 1 @5f3a.1b {"pid": 24378, ...}      a process; the word behind the number names it
 *   F 1 {"key": ..., "name": ..., ...}               a function, when it is first called
 *   S 4 1 {"file": ..., "line": 12, ...}             a site, of function 1, when it first calls
 *   4 l2[s5 u3:9] i > s8                             a call: arguments, result
 *   4*16 s5 times=i ! KeyError                       one that stands for 16, raised
 *   T 4 1068                                         at the end: how often site 4 has called
 *   X                                                the file is full: no calls of this process from here on
 *   @5f3a.1b                                         which process has written what follows
 *
 *   values: n None  b bool  i int (-128 to 1023)  I int  f float  o<type> what is none of these  ~ what is left out
 *           s<characters> ASCII  u<characters>:<bytes of UTF-8> other text  w<..>:<..> text that is UCS4 on slots
 *           y<bytes>  l<items>[...] list  t<items>[...] tuple  d<keys>[key value ...] dict  and L, T, D jitffi's
 *
 * A site's first TRACE_ALL calls are all written, then 1 in 2, 1 in 4 and so on at each doubling, at pseudo-random places
 * that depend on nothing but the numbers. A container shows up to 8 items, evenly spaced; a dict its first ones.
 * Processes append whole lines with one write() each time, at least every 0.1 s while there are calls, and at exit; a
 * forked child begins anew. All state is guarded by the interpreter's lock.
 */
#ifndef JITFFI_PYTHON_TRACE_H
#define JITFFI_PYTHON_TRACE_H

#include "function.h"

/* -- trace.c -- */
extern int core_trace_on; /* constant once the module is there */
PyCFunction core_trace_hook(core_function* f, PyCFunction entry);
PyObject* core_trace_script_vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames);
/* What ml_meth is to be for that entry; after ml_flags are set. */
static inline PyCFunction core_trace_entry(core_function* f, PyCFunction entry) {
  return core_trace_on ? core_trace_hook(f, entry) : entry;
}

enum { TRACE_ALL = 1024, TRACE_MOST_SITES = 4096, TRACE_LINE = 1024 };

/* Of a Function: its own entry, and the last site that called it. */
struct core_traced {
  PyCFunction entry;
  uint32_t number; /* 0: not described in this process */
  uint32_t process;
  struct trace_site* last;
};

/* -- trace_value.c: a value's kind and length as text; runs no Python code --------------------------------------------- */

/* Writes to [at, end), which it never exceeds: values that have no room are left out, and `~` says so. */
typedef struct {
  char* at;
  char* end;
  int items; /* of containers that may yet be shown */
} trace_text;

void trace_value(trace_text* text, PyObject* object);
void trace_name(trace_text* text, const char* name, size_t size); /* letters, digits and dots of it */
void trace_number(trace_text* text, uint64_t number);

/* -- trace_file.c: the buffer, the file and the process ---------------------------------------------------------------- */

extern uint32_t trace_process; /* counts forks: what was described in another is to be described again; 0: no trace */
extern int trace_full;         /* nothing can be written any more */

/* 1 when the file is open; 0 with a warning given. */
int trace_open(const char* path);
/* Appends whole lines. */
void trace_write(const char* lines, size_t size);
void trace_write_soon(const char* line, size_t size); /* and writes the buffer if that was 0.1 s ago */
void trace_flush(void);

#endif
