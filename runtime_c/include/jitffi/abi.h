/* The layouts and codes that the runtime, generated code and every embedder share.
 *
 *   slot (AnyView, AnyValue)            object
 *   0   type_code  < 0: a value         0   type_code  > 0
 *   4   small_len                       4   ref_count  (atomic)
 *   8   payload, 8 bytes                8   deleter    (NULL: static, never counted)
 *   16  padding of AnyPad<n>, 8n bytes  16  the object's own fields
 *
 * Slot and object are told apart by the sign of their first four bytes. This header holds no function;
 * runtime.h does. Every offset below is asserted in src/layout_check.c and compared with what the code
 * generator uses by the Python tests.
 */
#ifndef JITFFI_ABI_H
#define JITFFI_ABI_H

#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "jitffi: big-endian targets are not supported"
#endif

#ifdef __cplusplus
extern "C" {
typedef char32_t jf_char32;
#else
typedef uint_least32_t jf_char32;
#endif

/* Before a union without a name, which C99 knows as an extension only. */
#if defined(__GNUC__)
#define JF_EXTENSION __extension__
#else
#define JF_EXTENSION
#endif

/* A condition that seldom holds. */
#if defined(__GNUC__)
#define JF_EXPECT_NOT(condition) __builtin_expect((condition) != 0, 0)
#else
#define JF_EXPECT_NOT(condition) (condition)
#endif

/* A field that holds a pointer or size: 8 bytes on every target, with the pointer in the low half, so that objects are laid
 * out alike everywhere. Writing the field of a 32-bit target leaves the upper half as it is; it is zero in new objects.
 */
#if UINTPTR_MAX > 0xFFFFFFFF
#define JF_WIDE(type, name) type name
#else
#define JF_WIDE(type, name) \
  JF_EXTENSION union {      \
    type name;              \
    uint64_t name##_word;   \
  }
#endif
/* The payload of a slot that holds a pointer. Slots are compared byte for byte, so write one as
 * `slot.v_uint64 = JF_POINTER_WORD(p)`, or clear the payload before: on a 32-bit target v_handle and its like are half of
 * it. */
#define JF_POINTER_WORD(pointer) ((uint64_t)(uintptr_t)(pointer))

#define JF_ABI_MAJOR 0
#define JF_ABI_MINOR 0
#define JF_ABI_VERSION ((uint32_t)((JF_ABI_MAJOR << 16) | JF_ABI_MINOR))

/* Type codes. One space for slots (negative) and objects (positive); zero is never valid. */
enum {
  /* S0: the slot itself is the value */
  JF_NULL = -1,
  JF_INT = -2,         /* v_int64 */
  JF_FLOAT = -3,       /* v_float64 */
  JF_BOOL = -4,        /* v_int64, 0 or 1 */
  JF_HANDLE = -5,      /* v_handle, not NULL, never dereferenced */
  JF_DTYPE = -6,       /* v_dtype */
  JF_DEVICE = -7,      /* v_device */
  JF_DLTENSOR = -8,    /* DLTensor*, borrowed; views only */
  JF_RAW_STR = -9,     /* NUL-terminated UTF-8, borrowed; views only */
  JF_BYTE_ARRAY = -10, /* jf_span*, borrowed; views only */
  JF_OBJECT = -11,     /* jf_object* of S2 to S4 */
  JF_RVALUE = -12,     /* jf_object**: the callee takes the object and writes NULL back; views only */
  JF_SMALL_STR = -13,  /* UTF-8 in the payload, NUL-terminated */
  JF_SMALL_UCS4 = -14, /* code points in the payload, not terminated */
  JF_SMALL_BYTES = -15,
  JF_ANY_PTR = -16,   /* const jf_any*: a small value too long for 16 bytes, borrowed; views only */
  JF_STR_VIEW = -17,  /* jf_span*, UTF-8, borrowed; views only */
  JF_UINT = -18,      /* v_uint64, only values above INT64_MAX */
  JF_UCS4_VIEW = -19, /* jf_ucs4_span*, borrowed; views only */
  JF_S0_LAST = -19,   /* the lowest code in use: anything below is an error for whoever reads it */
  /* S1: the object's own code stands in the slot */
  JF_MODULE = 1,
  JF_FUNCTION = 2,
  JF_NDARRAY = 3,
  JF_S1_LAST = 3,
  /* S2: boxed values, never in an owned slot */
  JF_BOXED_INT = 16,
  JF_BOXED_FLOAT = 17,
  JF_BOXED_BOOL = 18,
  JF_BOXED_HANDLE = 19,
  JF_BOXED_DTYPE = 20,
  JF_BOXED_DEVICE = 21,
  JF_BOXED_UINT = 22,
  JF_S2_FIRST = 16,
  JF_S2_LAST = 31,
  /* S3: objects with static codes */
  JF_ROOT = 32,
  JF_STR = 33,
  JF_UCS4 = 34,
  JF_BYTES = 35,
  JF_LIST = 36,
  JF_MAP = 37,
  JF_TUPLE = 38,
  JF_ERROR = 39,
  JF_SHAPE = 40,
  JF_HOST_OBJECT = 41, /* an object of the embedding language, held opaquely */
  JF_SET = 42,
  /* S4: codes given out at run time by type key */
  JF_FIRST_DYNAMIC = 128
};

typedef struct jf_object jf_object;
typedef void (*jf_deleter)(jf_object*);
struct jf_object {
  int32_t type_code;
  int32_t ref_count;            /* atomic; see runtime.h */
  JF_WIDE(jf_deleter, deleter); /* NULL: static */
};

/* Borrowed text or bytes: what JF_STR_VIEW and JF_BYTE_ARRAY point at, and what readers fill. */
typedef struct {
  const char* data;
  size_t size;
} jf_span;

typedef struct {
  const jf_char32* data;
  size_t size;
} jf_ucs4_span;

/* DLPack's DLDataType and DLDevice (dlpack.h 1.x), by layout. */
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} jf_dtype;

typedef struct {
  int32_t device_type;
  int32_t device_id;
} jf_device;

/* The 16-byte slot. As a view it borrows, as a value it owns. */
typedef struct {
  int32_t type_code;
  int32_t small_len;
  JF_EXTENSION union {
    int64_t v_int64;
    uint64_t v_uint64;
    double v_float64;
    void* v_handle;
    jf_object* v_object;
    jf_object** v_rvalue;
    const char* v_raw_str;
    jf_span* v_span;
    jf_ucs4_span* v_ucs4_span;
    jf_dtype v_dtype;
    jf_device v_device;
    char v_bytes[8];
    jf_char32 v_char32[2];
  };
} jf_any;

typedef jf_any jf_view;  /* AnyView: borrowed */
typedef jf_any jf_value; /* AnyValue: owned */

#define JF_PAYLOAD_OFFSET 8
#define JF_MAX_PAD 15
#define JF_MAX_CAPACITY 128 /* payload bytes of AnyPad<15> */

/* Heap str (UTF-8) and bytes; for UCS4 `size` counts code points and data holds jf_char32. */
typedef struct {
  jf_object header;
  JF_WIDE(const char*, data);
  JF_WIDE(size_t, size);
  uint64_t hash;      /* atomic; 0: not computed */
  int64_t characters; /* atomic; -1: not counted; equal to size: ASCII */
} jf_str;             /* the characters follow at 48 where the object owns them */

typedef struct {
  jf_object header;
  JF_WIDE(const jf_char32*, data);
  JF_WIDE(size_t, size);
  uint64_t hash;
  int64_t characters;
} jf_ucs4;

/* A boxed value: the 8 payload bytes of the slot. */
typedef struct {
  jf_object header;
  JF_EXTENSION union {
    int64_t v_int64;
    uint64_t v_uint64;
    double v_float64;
    void* v_handle;
    jf_dtype v_dtype;
    jf_device v_device;
  };
} jf_box;

typedef struct jf_function jf_function;

/* The packed call. 0: *out holds the owned result. Else the thread's last error is set and *out is null. */
typedef int32_t (*jf_packed_call)(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out);

struct jf_function {
  jf_object header;
  JF_WIDE(jf_packed_call, call);
  JF_WIDE(const char*, signature); /* canonical text with names and defaults, or NULL */
  JF_WIDE(void*, native);          /* a C function of exactly these types, or NULL */
  JF_WIDE(const char*, types);     /* interned text of the types alone, or NULL */
                                   /* what it captures follows at 48 */
};

/* The address of a slot or of an object: the sign of the first four bytes tells which. What containers are made of. */
typedef union {
  const int32_t* code;
  const jf_any* slot;
  jf_object* object;
} jf_item;

/* Where a container keeps the values that are no objects: slots of one size in linked blocks, so that none ever moves.
 *
 *   blocks --> | next | slots | slot, slot, ... |  -->  | next | slots | ...
 *   free   --> a slot that was given back, whose payload leads to the next one
 *   fresh .. end: the part of the newest block that no slot has been taken from
 */
typedef struct jf_pool_block jf_pool_block;
struct jf_pool_block {
  JF_WIDE(jf_pool_block*, next);
  JF_WIDE(size_t, slots);
};
typedef struct {
  JF_WIDE(jf_pool_block*, blocks);
  JF_WIDE(jf_any*, free);
  JF_WIDE(char*, fresh);
  JF_WIDE(char*, end);
  int32_t pad;    /* n of AnyPad<n>, for the container's whole life */
  int32_t stride; /* 16 + 8 * pad */
} jf_pool;

/* How the cycle finder knows a container that holds other containers. Until then `next` is NULL, and `previous` is the
 * runtime's own. */
typedef struct {
  JF_WIDE(jf_object*, next);
  JF_WIDE(jf_object*, previous);
} jf_links;

/* List and tuple have `items` and `size` at the same place, so what only reads serves both. */
typedef struct {
  jf_object header;
  JF_WIDE(jf_item*, items);
  JF_WIDE(size_t, size);
  JF_WIDE(size_t, capacity);
  jf_pool pool;
  jf_links links;
} jf_list;

typedef struct {
  jf_object header;
  JF_WIDE(jf_item*, items); /* the array behind this struct; its slots come after it */
  JF_WIDE(size_t, size);
  uint64_t hash; /* atomic; 0: not computed */
  jf_links links;
} jf_tuple;

typedef struct {
  uint64_t hash; /* the key's, mixed (map_index.c) */
  jf_item key;   /* NULL: the entry was removed */
  jf_item value;
} jf_map_entry;

/* Entries stand in the order of insertion; `index` is the hash table over them. */
typedef struct {
  jf_object header;
  JF_WIDE(jf_map_entry*, entries);
  JF_WIDE(size_t, size);     /* keys */
  JF_WIDE(size_t, used);     /* entries, removed ones included */
  JF_WIDE(size_t, capacity); /* of entries */
  JF_WIDE(uint64_t*, index); /* see map_index.c */
  JF_WIDE(size_t, index_mask);
  uint64_t version; /* counts the changes of its keys: how an iterator sees them */
  jf_pool pool;     /* of keys and values */
  jf_links links;
} jf_map;

/* A set is a map of keys alone: a jf_map in all but its code and its entries, which are these. */
typedef struct {
  uint64_t hash;
  jf_item key; /* NULL: the entry was removed */
} jf_set_entry;

typedef struct {
  jf_object header;
  JF_WIDE(const int64_t*, data); /* behind this struct, where the object owns it */
  JF_WIDE(size_t, size);
} jf_shape;

/* string_core<char> and string_core<char32_t>, 24 bytes (folly's FBString by idea).
 *
 *   0   up to 16 bytes or 4 characters  |  object at 0, size at 8
 *   16  zero: the NUL of a full small string
 *   20  category: the length of a small string; JF_CORE_MEDIUM: sole owner, copied by copying;
 *       JF_CORE_LARGE: shared, copied by reference, unshared before a write
 */
enum { JF_CORE_MEDIUM = -1, JF_CORE_LARGE = -2 };
typedef struct {
  JF_WIDE(jf_object*, data); /* a heap str or UCS4 str (of one owner while medium) */
  uint64_t size;
} jf_core_heap;

typedef struct {
  JF_EXTENSION union {
    char small[16];
    jf_core_heap ml;
  };
  uint32_t zero;
  int32_t category;
} jf_str_core;

typedef struct {
  JF_EXTENSION union {
    jf_char32 small[4];
    jf_core_heap ml;
  };
  uint32_t zero;
  int32_t category;
} jf_ucs4_core;

/* An error. Every field but kind and message may be NULL. All owned by the error. */
typedef struct {
  jf_object header;
  JF_WIDE(jf_str*, kind); /* a Python exception's name */
  JF_WIDE(jf_str*, message);
  JF_WIDE(jf_str*, traceback); /* text, most recent call first */
  JF_WIDE(jf_object*, cause);  /* another jf_error */
  JF_WIDE(jf_object*, host);   /* the embedding language's own exception, or a Tuple: what its class is called with */
} jf_error;

/* An object of the embedding language; only the one with the same `owner` may look inside. */
typedef struct {
  jf_object header;
  JF_WIDE(const void*, owner); /* an address that is unique to the embedder */
  JF_WIDE(void*, handle);
} jf_host_object;

#ifdef __cplusplus
}
#endif

/* -- what a library or object file exports ---------------------------------------------------------------------------
 *
 *   JITFFI_EXPORT(add, "(a: i64, b: i64) -> i64") {         the packed function `add` of a module, in C or C++
 *     out->type_code = JF_INT;
 *     out->v_int64 = args[0].v_int64 + args[1].v_int64;
 *     return 0;
 *   }
 *
 * With a semicolon in the place of the body it declares `__jf_add`, to be defined elsewhere. Both symbols have C linkage and
 * are seen from outside, whatever is hidden or swept out by options: a constant of C++ is not, unless it is told to be.
 * The text "" says that the function takes whatever it is given. */
#if defined(_WIN32)
#define JITFFI_PUBLIC __declspec(dllexport)
#define JITFFI_UNUSED
#else
#define JITFFI_PUBLIC __attribute__((visibility("default")))
#define JITFFI_UNUSED __attribute__((unused))
#endif
/* Not even a linker that collects garbage takes it away. */
#if defined(__ELF__) && defined(__has_attribute)
#if __has_attribute(retain)
#define JITFFI_KEPT __attribute__((used, retain))
#endif
#endif
#if !defined(JITFFI_KEPT) && defined(__GNUC__)
#define JITFFI_KEPT __attribute__((used))
#elif !defined(JITFFI_KEPT)
#define JITFFI_KEPT
#endif
#if defined(__GNUC__)
#define JITFFI_WEAK __attribute__((weak))
#else
#define JITFFI_WEAK
#endif
#ifdef __cplusplus
#define JITFFI_C extern "C"
#define JITFFI_C_VARIABLE(attributes, variable, value) \
  extern "C" {                                         \
  extern JITFFI_PUBLIC attributes const variable;      \
  JITFFI_KEPT const variable = value;                  \
  }
#else
#define JITFFI_C
#define JITFFI_C_VARIABLE(attributes, variable, value) \
  extern JITFFI_PUBLIC attributes const variable;      \
  JITFFI_KEPT const variable = value;
#endif
/* What loaders look for: before a function's name, before the name of its signature's text, and the ABI's version. */
#define JITFFI_CALL_PREFIX "__jf_"
#define JITFFI_SIGNATURE_PREFIX "__jfsig_"
#define JITFFI_ABI_SYMBOL "__jfabi"
#define JITFFI_EXPORT(name, signature)                                                                        \
  JITFFI_C_VARIABLE(, char __jfsig_##name[], "" signature)                                                    \
  JITFFI_C JITFFI_PUBLIC int32_t __jf_##name(jf_function*, int32_t, const jf_view*, jf_value*);               \
  JITFFI_C JITFFI_PUBLIC int32_t __jf_##name(jf_function* self JITFFI_UNUSED, int32_t num_args JITFFI_UNUSED, \
                                             const jf_view* args JITFFI_UNUSED, jf_value* out JITFFI_UNUSED)
/* Once in a file of the module: the version of the ABI that it was compiled for, for loaders to compare. */
#define JITFFI_EXPORT_ABI                                          \
  JITFFI_C_VARIABLE(JITFFI_WEAK, uint32_t __jfabi, JF_ABI_VERSION) \
  typedef int jitffi_exported_abi /* takes the semicolon */

#endif
