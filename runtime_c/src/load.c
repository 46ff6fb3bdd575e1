/* Shared libraries as modules: opened by the loader, and their exports read from the dynamic symbols that it has mapped,
 * which are there in a stripped library, too.
 */
#include <string.h>

#include "jitffi/module.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"
#include "module.h"

#if defined(__ELF__) && !defined(JF_NO_SYSTEM)
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#if defined(__x86_64__)
enum { OWN_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#elif defined(__arm__)
enum { OWN_MACHINE = EM_ARM };
#elif defined(__riscv)
enum { OWN_MACHINE = EM_RISCV };
#else
enum { OWN_MACHINE = EM_NONE };
#endif

static const struct {
  int32_t machine;
  const char* name;
} machines[] = {{EM_X86_64, "x86-64"}, {EM_AARCH64, "AArch64"}, {EM_RISCV, "RISC-V"}, {EM_ARM, "ARM"},
                {EM_386, "i386"},      {EM_PPC64, "PowerPC64"}, {EM_S390, "S/390"}};

static const char* machine_name(int32_t machine, char* buffer, size_t capacity) {
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
    if (machines[i].machine == machine) return machines[i].name;
  }
  snprintf(buffer, capacity, "machine %d", (int)machine);
  return buffer;
}

static JF_COLD int32_t fail_file(const char* path, const char* why) {
  jf_error_format("OSError", "%s: %s", path, why);
  return -1;
}

/* -- the file, before the loader has it -- */

static int32_t check_header(const char* path, const ElfW(Ehdr) * header) {
  char theirs[32], ours[32];
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return fail_file(path, "is no shared library: not an ELF file");
  if (header->e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32))
    return fail_file(path, sizeof(void*) == 8 ? "is a library of another word size than this machine's 64 bits"
                                              : "is a library of another word size than this machine's 32 bits");
  if (OWN_MACHINE != EM_NONE && header->e_machine != OWN_MACHINE) {
    jf_error_format("OSError", "%s: is for %s, this machine is %s", path,
                    machine_name(header->e_machine, theirs, sizeof theirs),
                    machine_name(OWN_MACHINE, ours, sizeof ours));
    return -1;
  }
  if (header->e_type == ET_REL) return fail_file(path, "is an object file, not a shared library");
  if (header->e_type != ET_DYN) return fail_file(path, "is no shared library");
  if (header->e_phentsize != sizeof(ElfW(Phdr))) return fail_file(path, "is corrupted: its program headers");
  return 0;
}

/* Whether all of what the loader will map is in the file: beyond its end memory reads as a bus error. */
static int32_t check_segments(const char* path, FILE* file, const ElfW(Ehdr) * header, uint64_t size) {
  if (header->e_phoff > size || fseek(file, (long)header->e_phoff, SEEK_SET) != 0)
    return fail_file(path, "is corrupted: its program headers");
  for (int32_t i = 0; i < header->e_phnum; i++) {
    ElfW(Phdr) segment;
    if (fread(&segment, sizeof segment, 1, file) != 1) return fail_file(path, "is cut short");
    if (segment.p_type != PT_LOAD) continue;
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset) return fail_file(path, "is cut short");
  }
  return 0;
}

/* Borrows path. */
int32_t jf_module_check_library(const char* path) {
  struct stat status;
  if (stat(path, &status) != 0 || S_ISDIR(status.st_mode)) return 0; /* the loader has words for it */
  /* Opening a FIFO waits for a writer, and so would the loader. */
  if (!S_ISREG(status.st_mode)) return fail_file(path, "is no regular file");
  FILE* file = fopen(path, "rb");
  if (!file) return 0;
  ElfW(Ehdr) header;
  int32_t result = 0;
  if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) {
    result = 0; /* the loader has words for it */
  } else if (fread(&header, sizeof header, 1, file) != 1) {
    result = fail_file(path, status.st_size ? "is no shared library: not an ELF file" : "is an empty file");
  } else {
    result = check_header(path, &header);
    if (result == 0) result = check_segments(path, file, &header, (uint64_t)status.st_size);
  }
  fclose(file);
  return result;
}

/* -- the dynamic symbols of a library that is open -- */

typedef struct {
  void* handle;
  const char* file;
  uintptr_t base;
  uintptr_t low, high; /* of what is mapped */
  const ElfW(Phdr) * segments;
  int32_t segment_count;
  const ElfW(Sym) * symbols;
  const char* names;
  size_t names_size;
  size_t count;
  jf_export* calls; /* __jf_<name>, __tvm_ffi_<name> */
  size_t call_count;
  jf_export* texts; /* __jfsig_<name>: in `signature` */
  size_t text_count;
} library;

/* -- what of it is mapped: a damaged table leads anywhere, and not all of that the loader looks at -- */

static int find_segments(struct dl_phdr_info* info, size_t size, void* context) {
  library* lib = context;
  (void)size;
  if (info->dlpi_addr != lib->base) return 0;
  lib->segments = info->dlpi_phdr;
  lib->segment_count = info->dlpi_phnum;
  for (int32_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    const uintptr_t low = info->dlpi_addr + segment->p_vaddr, high = low + segment->p_memsz;
    if (low < lib->low) lib->low = low;
    if (high > lib->high) lib->high = high;
  }
  return 1;
}

/* The bytes from there to the end of the segment, which has these flags; 0 where there is none. */
static size_t room_at(const library* lib, const void* address, uint32_t flags) {
  for (int32_t i = 0; i < lib->segment_count; i++) {
    const ElfW(Phdr)* segment = &lib->segments[i];
    const uintptr_t offset = (uintptr_t)address - lib->base - segment->p_vaddr;
    if (segment->p_type == PT_LOAD && (segment->p_flags & flags) == flags && offset < segment->p_memsz)
      return segment->p_memsz - offset;
  }
  return 0;
}

/* An entry of the dynamic section: an address, which some loaders have relocated and others not. */
static const void* address_of(const library* lib, const ElfW(Dyn) * entry) {
  const uintptr_t value = (uintptr_t)entry->d_un.d_ptr;
  return (const void*)(value < lib->base ? lib->base + value : value);
}

/* The GNU table has no count: it is one more than the last symbol of the chain that begins highest. 0 if it is damaged. */
static size_t count_gnu(const uint32_t* table, size_t size) {
  if (size < 4) return 0;
  const uint32_t buckets = table[0], first = table[1], words = table[2];
  const size_t start = 4 + (size_t)words * (sizeof(void*) / 4), chains = start + buckets;
  uint32_t last = 0;
  if (chains > size) return 0;
  for (size_t i = start; i < chains; i++) last = table[i] > last ? table[i] : last;
  if (last < first) return first;
  while (last - first < size - chains && !(table[chains + last - first] & 1)) last++;
  return last - first < size - chains ? (size_t)last + 1 : 0;
}

/* -1 where the tables are not as the loader maps them. */
static int32_t find_symbols(library* lib, const struct link_map* map) {
  const uint32_t *sysv = NULL, *gnu = NULL;
  lib->base = (uintptr_t)map->l_addr;
  lib->low = UINTPTR_MAX;
  if (!dl_iterate_phdr(find_segments, lib)) return -1;
  for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
    if (entry->d_tag == DT_SYMTAB) lib->symbols = address_of(lib, entry);
    if (entry->d_tag == DT_STRTAB) lib->names = address_of(lib, entry);
    if (entry->d_tag == DT_STRSZ) lib->names_size = (size_t)entry->d_un.d_val;
    if (entry->d_tag == DT_HASH) sysv = address_of(lib, entry);
    if (entry->d_tag == DT_GNU_HASH) gnu = address_of(lib, entry);
  }
  if (!lib->symbols || !lib->names) return 0;
  if (sysv && room_at(lib, sysv, PF_R) >= 2 * sizeof *sysv)
    lib->count = sysv[1];
  else if (gnu)
    lib->count = count_gnu(gnu, room_at(lib, gnu, PF_R) / sizeof *gnu);
  const int32_t has_count = lib->count || !(sysv || gnu);
  const int32_t fit = lib->count <= room_at(lib, lib->symbols, PF_R) / sizeof *lib->symbols;
  return has_count && fit && lib->names_size <= room_at(lib, lib->names, PF_R) ? 0 : -1;
}

static void* symbol_address(const library* lib, const ElfW(Sym) * symbol, const char* name) {
  const int32_t type = symbol->st_info & 15;
  if (type == STT_GNU_IFUNC) return dlsym(lib->handle, name);
  return (void*)(symbol->st_shndx == SHN_ABS ? (uintptr_t)symbol->st_value : lib->base + symbol->st_value);
}

/* What is behind a prefix, or NULL. */
static const char* behind(const char* name, const char* prefix) {
  const size_t size = strlen(prefix);
  return strncmp(name, prefix, size) == 0 && name[size] ? name + size : NULL;
}

static int32_t take_signature(library* lib, const ElfW(Sym) * symbol, const char* full, const char* name) {
  const char* text = symbol_address(lib, symbol, full);
  const size_t room = room_at(lib, text, PF_R),
               size = symbol->st_size && symbol->st_size < room ? symbol->st_size : room;
  if (!size || !memchr(text, 0, size)) {
    jf_error_format("OSError", "%s: %s is no text: it has no NUL at its end", lib->file, full);
    return -1;
  }
  if (lib->texts) lib->texts[lib->text_count] = (jf_export){name, NULL, text};
  lib->text_count++;
  return 0;
}

static int32_t take_call(library* lib, const ElfW(Sym) * symbol, const char* full, const char* name, const char* kind) {
  if (lib->calls) {
    lib->calls[lib->call_count] = (jf_export){name, NULL, kind};
    void* address = symbol_address(lib, symbol, full);
    if ((symbol->st_info & 15) != STT_GNU_IFUNC && !room_at(lib, address, PF_X)) {
      jf_error_format("OSError", "%s: %s is no code", lib->file, full);
      return -1;
    }
    memcpy(&lib->calls[lib->call_count].call, &address, sizeof address);
  }
  lib->call_count++;
  return 0;
}

/* Counts what is exported, and stores it where there is room already. *version is what __jfabi says. */
static int32_t read_symbols(library* lib, uint32_t* version) {
  lib->call_count = lib->text_count = 0;
  for (size_t i = 0; i < lib->count; i++) {
    const ElfW(Sym)* symbol = &lib->symbols[i];
    const int32_t type = symbol->st_info & 15;
    const char *full = lib->names + symbol->st_name, *name;
    if (symbol->st_name >= lib->names_size || !memchr(full, 0, lib->names_size - symbol->st_name))
      return fail_file(lib->file, "is corrupted: its dynamic symbols");
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_info >> 4 == STB_LOCAL || full[0] != '_' || full[1] != '_' ||
        (full[2] != 'j' && full[2] != 't') || type == STT_TLS)
      continue;
    if (strcmp(full, JITFFI_ABI_SYMBOL) == 0 && type != STT_FUNC) {
      const void* address = symbol_address(lib, symbol, full);
      if (room_at(lib, address, PF_R) < sizeof *version)
        return fail_file(lib->file, "is corrupted: its " JITFFI_ABI_SYMBOL);
      memcpy(version, address, sizeof *version);
    } else if ((name = behind(full, JITFFI_SIGNATURE_PREFIX))) {
      if (take_signature(lib, symbol, full, name) != 0) return -1;
    } else if (type != STT_OBJECT && (name = behind(full, JITFFI_CALL_PREFIX))) {
      if (take_call(lib, symbol, full, name, NULL) != 0) return -1;
    } else if (type != STT_OBJECT && (name = behind(full, JF_TVMFFI_PREFIX)) && *name != '_') {
      if (take_call(lib, symbol, full, name, jf_tvmffi_export) != 0) return -1;
    }
  }
  return 0;
}

static int compare_names(const void* left, const void* right) {
  return strcmp(((const jf_export*)left)->name, ((const jf_export*)right)->name);
}

/* One of several versions of a symbol is enough, and of two conventions ours. */
static void join_signatures(library* lib) {
  size_t kept = 0;
  qsort(lib->texts, lib->text_count, sizeof(jf_export), compare_names);
  qsort(lib->calls, lib->call_count, sizeof(jf_export), compare_names);
  for (size_t i = 0; i < lib->call_count; i++) {
    const int32_t is_theirs = lib->calls[i].signature == jf_tvmffi_export;
    if (kept && strcmp(lib->calls[kept - 1].name, lib->calls[i].name) == 0) {
      if (is_theirs || lib->calls[kept - 1].signature != jf_tvmffi_export) continue;
      kept--;
    }
    const jf_export* text =
        is_theirs ? &lib->calls[i]
                  : bsearch(&lib->calls[i], lib->texts, lib->text_count, sizeof(jf_export), compare_names);
    lib->calls[kept] = lib->calls[i];
    lib->calls[kept++].signature = text ? text->signature : NULL;
  }
  lib->call_count = kept;
}

/* "demo" for "/path/demo.so.1". */
static void stem_of(const char* file, char* buffer, size_t capacity) {
  const char* slash = strrchr(file, '/');
  snprintf(buffer, capacity, "%s", slash ? slash + 1 : file);
  char* ending = strstr(buffer, ".so");
  if (ending && ending != buffer && (!ending[3] || ending[3] == '.')) *ending = 0;
}

/* New; borrows file; owns owner only if it succeeds. */
jf_object* jf_module_of_library(void* handle, const char* file, void* owner, void (*unload)(void*)) {
  struct link_map* map = NULL;
  library lib = {.handle = handle, .file = file};
  uint32_t version = 0;
  char name[256];
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map) {
    fail_file(file, dlerror());
    return NULL;
  }
  if (find_symbols(&lib, map) != 0) {
    fail_file(file, "is corrupted: its dynamic symbols");
    return NULL;
  }
  if (read_symbols(&lib, &version) != 0 || jf_module_check_abi(file, version) != 0) return NULL;
  jf_export* room = jf_alloc((lib.call_count + lib.text_count + 1) * sizeof *room);
  if (!room) {
    jf_error_no_memory();
    return NULL;
  }
  lib.calls = room;
  lib.texts = room + lib.call_count;
  jf_object* made = NULL;
  if (read_symbols(&lib, &version) == 0) {
    join_signatures(&lib);
    stem_of(file, name, sizeof name);
    made = jf_module_new(name, lib.calls, lib.call_count, owner, unload);
  }
  jf_free(room);
  if (made && lib.low < lib.high) jf_module_set_memory(made, (const void*)lib.low, lib.high - lib.low);
  return made;
}

static void close_library(void* handle) { dlclose(handle); }

/* New; borrows path. */
jf_object* jf_module_load(const char* path) {
  if (strchr(path, '/') && jf_module_check_library(path) != 0) return NULL;
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    jf_error_set("OSError", dlerror());
    return NULL;
  }
  jf_object* made = jf_module_of_library(handle, path, handle, close_library);
  if (!made) dlclose(handle);
  return made;
}

#else

static JF_COLD jf_object* fail_target(const char* file) {
  jf_error_format("OSError", "%s: libraries cannot be loaded as modules on this target; link them into the program",
                  file);
  return NULL;
}

jf_object* jf_module_of_library(void* handle, const char* file, void* owner, void (*unload)(void*)) {
  (void)handle, (void)owner, (void)unload;
  return fail_target(file);
}

jf_object* jf_module_load(const char* path) { return fail_target(path); }

int32_t jf_module_check_library(const char* path) {
  (void)path;
  return 0;
}
#endif
