/* What the files of modules share: module.c makes, finds and unloads, module_import.c has the imports. */
#ifndef JITFFI_SRC_MODULE_H
#define JITFFI_SRC_MODULE_H

#include "jitffi/module.h"
#include "macros.h"

typedef struct module module;
struct module {
  jf_object header;
  const char* name;
  const jf_export* exports;
  size_t count;
  void* owner;
  void (*unload)(void*);
  /* from here on under the lock */
  const char* memory;
  size_t memory_size;
  module* next_known; /* of those with memory */
  module** imports;   /* owned references */
  size_t import_count;
  size_t import_room;
  int64_t in_use; /* functions alive */
  int32_t loaded;
  uint32_t search; /* the last one that came by */
  module* next;    /* of those that search has still to look into */
  jf_links links;  /* deferred_free.c's, while it dies */
};

/* -- module.c -- */
#define JF_TVMFFI_PREFIX "__tvm_ffi_"
/* The signature of exports whose call is one of tvm-ffi's convention: this address, behind which is no text. */
extern const char jf_tvmffi_export[];
module* jf_module_as(const jf_object* object);     /* borrowed; NULL for what is no module of this runtime */
module* jf_module_loaded(const jf_object* object); /* the same, and not unloaded; NULL with TypeError or ValueError */
JF_COLD module* jf_module_fail_other(const jf_object* object); /* NULL with TypeError */

/* -- module_import.c -- */
module** jf_module_take_imports(module* m, size_t* count); /* under the lock */
void jf_module_release_imports(module** imports, size_t count);

#endif
