/* The file of a trace: one buffer, which goes to its end whole lines at a time, and what a fork does to it. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

/* MOST: of the whole file, whoever has written it. */
enum { BUFFER = 1 << 16, HEAD = 256, MOST = 16 << 20, PAUSE_NS = 100000000 };

uint32_t trace_process;
int trace_full;

static int file = -1;
static char buffer[BUFFER];
static size_t used;
static char token[48]; /* "@5f3a.1b": this process, and no other of any time */
static int announced;  /* whether its header has been put into the buffer */
static uint64_t written;
static int64_t last_write;

static int64_t now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#ifdef CLOCK_MONOTONIC_COARSE
enum { COARSE = CLOCK_MONOTONIC_COARSE }; /* a tick of some ms, and a few ns to ask for it */
#else
enum { COARSE = CLOCK_MONOTONIC };
#endif

static void begin_process(void) {
  trace_process++;
  used = 0;
  announced = 0;
  snprintf(token, sizeof token, "@%x.%llx", (unsigned)getpid(), (unsigned long long)now(CLOCK_REALTIME));
}

/* In a child: what the buffer holds is its parent's, which writes it. */
static void after_fork(void) {
  if (trace_process != 0) begin_process();
}

/* Begins with the end of a line, in case another process had to cut its last one short. */
static void put_head(void) {
  if (announced)
    used = (size_t)snprintf(buffer, HEAD, "\n%s\n", token);
  else
    used = (size_t)snprintf(buffer, HEAD, "\njitffi-trace 1 %s {\"pid\": %d, \"python\": \"%s\", \"jitffi\": \"%s\"}\n",
                            token, (int)getpid(), PY_VERSION, JITFFI_VERSION);
  announced = 1;
}

/* Nothing is written any more. No Python here: it may be the end of the process. */
static void give_up(const char* why) {
  trace_full = 1;
  fprintf(stderr, "jitffi: the trace of process %d ends here: %s\n", (int)getpid(), why);
}

void trace_flush(void) {
  if (file < 0 || used == 0) return;
  const size_t size = used;
  used = 0;
  last_write = now(COARSE);
  struct stat info;
  const uint64_t there = fstat(file, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : written;
  if (trace_full) return;
  if (there + size > MOST) {
    char last[sizeof token + 8];
    const int length = snprintf(last, sizeof last, "\n%s\nX\n", token);
    if (write(file, last, (size_t)length) < 0) return give_up(strerror(errno));
    trace_full = 1;
    return;
  }
  const size_t from = there == 0;
  const ssize_t done = write(file, buffer + from, size - from);
  if (done < 0) return give_up(strerror(errno));
  written += (uint64_t)done;
  if ((size_t)done < size - from) give_up("there was no room for more");
}

void trace_write(const char* lines, size_t size) {
  if (trace_full || size > BUFFER - HEAD) return;
  if (used + size > BUFFER) trace_flush();
  if (used == 0) put_head();
  memcpy(buffer + used, lines, size);
  used += size;
}

void trace_write_soon(const char* line, size_t size) {
  trace_write(line, size);
  if (now(COARSE) - last_write >= PAUSE_NS) trace_flush();
}

int trace_open(const char* path) {
  /* A pipe that nobody reads is an error, not a wait. */
  file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) {
    const char* why = strerror(errno);
    if (PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "JITFFI_TRACE: nothing is traced: %s: %s", path, why) < 0)
      PyErr_WriteUnraisable(NULL); /* the program is to run */
    return 0;
  }
  begin_process();
  last_write = now(COARSE);
  pthread_atfork(NULL, NULL, after_fork);
  return 1;
}
