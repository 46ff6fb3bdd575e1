/* What compiled scripts call: text, operations on slots of unknown type, iteration, and errors. A library of its own,
 * jitffi_script, beside the runtime, with the tables of Unicode; no Python in it.
 *
 * Text here is what a script sees: characters of constant width, so that length and index take constant time.
 *
 *   jf_text   data -> | ASCII, or the bytes of a bytes, one byte a character |   wide 0
 *             data -> | code points, four bytes each |                          wide 1
 *
 * wide 0 of a str is ASCII and nothing else; wide 1 can be anything, ASCII too. A str that is written to a slot is
 * written narrow where it is ASCII, so a script's own strings have one form each; what comes from outside (UTF-8 that is
 * not ASCII) is widened once, where it enters (jf_text_of).
 *
 * Errors, ownership and out-slots are as in runtime.h: int32_t results are 0 or -1 with the last error set, kinds and
 * messages are CPython's. No function keeps a jf_text that it is given.
 */
#ifndef JITFFI_SCRIPT_H
#define JITFFI_SCRIPT_H

#include "containers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins like jf_span and jf_ucs4_span, so its address serves as the payload of a JF_STR_VIEW (wide 0), JF_UCS4_VIEW
 * (wide 1) or JF_BYTE_ARRAY slot. */
typedef struct {
  const void* data; /* never NULL */
  size_t size;      /* characters */
  int32_t wide;
} jf_text;

/* -- text.c: between slots and text --------------------------------------------------------------------------- */

/* The text of a slot (any pad, any kind of str, boxed or not). *keep, a null out-slot or NULL, gets an owned value where
 * the characters had to be made (UTF-8 that is not ASCII); *out borrows from *slot or *keep. 0; 1: no str, no error is
 * set; -1: failed (no memory, no UTF-8). With keep NULL: 2 where it would be needed. */
JF_API int32_t jf_text_of(const jf_any* slot, jf_text* out, jf_value* keep);
JF_API int32_t jf_bytes_of(const jf_any* slot, jf_text* out); /* the same of bytes: 0, or 1 */
/* An owned value of the text, narrow where it is ASCII: in place up to the capacity of the null out-slot, else a heap
 * object. */
JF_API int32_t jf_text_out(const jf_text* text, jf_value* out);
JF_API int32_t jf_bytes_to(const jf_text* bytes, jf_value* out);
JF_API int32_t jf_char_out(int32_t code_point, jf_value* out);
/* text.translate(table), of a table as text_translate.c has it; of bytes it is 256 bytes. */
JF_API int32_t jf_text_translate(const jf_text* text, const uint32_t* table, jf_value* out);
JF_API int32_t jf_bytes_translate(const jf_text* bytes, const unsigned char* table, jf_value* out);
/* Makes *slot keep what *text borrows from: an in-place copy where it fits, else a reference to `owner` (the heap string
 * that it is in, may be NULL: then a copy on the heap). *slot is a null out-slot with its capacity; *text is then what
 * borrows from it. The width stays. */
JF_API int32_t jf_text_hold(jf_value* slot, jf_text* text, jf_object* owner);
/* The same for bytes. */
JF_API int32_t jf_bytes_hold(jf_value* slot, jf_text* text, jf_object* owner);
JF_API int32_t jf_text_list_append(jf_object* list, const jf_text* text); /* narrow where it is ASCII */
JF_API int32_t jf_text_equal(const jf_text* a, const jf_text* b);         /* 1 or 0 */
JF_API int32_t jf_text_compare(const jf_text* a, const jf_text* b);       /* below 0, 0, above 0, by code points */
JF_API int32_t jf_text_concat(const jf_text* a, const jf_text* b, jf_value* out);  /* a + b */
JF_API int32_t jf_bytes_concat(const jf_text* a, const jf_text* b, jf_value* out); /* a + b */
JF_API int32_t jf_text_repeat(const jf_text* text, int64_t times, jf_value* out);  /* text * times */
JF_API int32_t jf_bytes_repeat(const jf_text* text, int64_t times, jf_value* out); /* text * times */
JF_API int32_t jf_text_sorted(const jf_text* text, jf_value* out); /* its characters by their code points */
/* text[start:stop:step] with Python's clipping; JF_NO_INDEX where one is not given; step 0 is a ValueError. */
JF_API int32_t jf_text_slice(const jf_text* text, int64_t start, int64_t stop, int64_t step, jf_value* out);
JF_API int32_t jf_bytes_slice(const jf_text* text, int64_t start, int64_t stop, int64_t step, jf_value* out);
/* slot += text for a slot that owns a str (or is a small one): in place where nobody else has it and there is room, with
 * room to grow else, so that n appends take linear time. *room is the caller's, 0 in the beginning and whenever it
 * writes the slot by other means. *now is the text afterwards. */
JF_API int32_t jf_text_append(jf_value* slot, int64_t* room, const jf_text* more, jf_text* now);
/* *now += more, for a text that a variable has: in its slot, of `capacity`, wherever it was before (*room is 0), else as
 * jf_text_append. */
JF_API int32_t jf_text_grow(jf_value* slot, int64_t capacity, int64_t* room, const jf_text* more, jf_text* now);
/* *now += more of bytes that a variable has: in the object of its slot where only it has that and there is room. */
JF_API int32_t jf_bytes_grow(jf_value* slot, int64_t* room, const jf_text* more, jf_text* now);
/* target += more of any types: of text as jf_text_append, with *room as there, else as jf_op_inplace of op, an addition. */
JF_API int32_t jf_op_grow(int32_t op, jf_value* target, int64_t* room, const jf_any* more);
/* All the pieces, one behind the other. */
JF_API int32_t jf_text_build(const jf_text* pieces, int64_t count, jf_value* out);
JF_API int32_t jf_bytes_build(const jf_text* pieces, int64_t count, jf_value* out);
JF_API void jf_text_of_int(int64_t number, char* buffer, jf_text* out); /* str(number), in the caller's 24 bytes */
/* The words of text.split() and the pieces of text.split(sep), one after the other, without a list. */
typedef struct {
  jf_text text;
  jf_text separator; /* data NULL: white space */
  int64_t at;
  int64_t left; /* how many splits are still allowed; below 0: any number */
} jf_split;
JF_API int32_t jf_text_split_init(jf_split* split, const jf_text* text, const jf_text* separator,
                                  int64_t most); /* ValueError for an empty separator; borrows both */
JF_API int32_t jf_text_split_next(jf_split* split, jf_text* piece);  /* 1, or 0 at the end; borrows from the text */
JF_API int32_t jf_bytes_split_next(jf_split* split, jf_text* piece); /* the same of bytes */

/* -- methods of str and bytes: text_case.c, text_find.c, text_split.c, text_fill.c, text_encode.c, bytes_*.c ------------
 * One function a row of jitffi/scripts/library/methods.py; the prototypes follow from the rows by the rules on top of that file. */
#include "script_methods.h"

/* A character alone: its methods without a text around it. Results that can be several characters have jf_text_*. */
enum {
  JF_IS_ALPHA = 1,
  JF_IS_DECIMAL = 2,
  JF_IS_DIGIT = 4,
  JF_IS_NUMERIC = 8,
  JF_IS_SPACE = 16,
  JF_IS_UPPER = 32,
  JF_IS_LOWER = 64,
  JF_IS_TITLE = 128,
  JF_IS_PRINTABLE = 256,
  JF_IS_IDENTIFIER_START = 512,
  JF_IS_IDENTIFIER = 1024,
  JF_IS_LINE_BREAK = 2048,
  JF_IS_CASED = 4096,
  JF_IS_CASE_IGNORABLE = 8192
};
JF_API uint32_t jf_char_flags(int32_t code_point); /* JF_IS_* */
JF_API extern const uint16_t jf_ascii_flags[128];  /* the same, for what is inlined */

/* -- op_*.c: operations on slots of any type, with CPython's results and messages ------------------------------------- */

enum {
  JF_OP_ADD,
  JF_OP_SUB,
  JF_OP_MUL,
  JF_OP_DIV,
  JF_OP_FLOORDIV,
  JF_OP_MOD,
  JF_OP_POW,
  JF_OP_LSHIFT,
  JF_OP_RSHIFT,
  JF_OP_AND,
  JF_OP_OR,
  JF_OP_XOR
};
enum { JF_OP_NEGATE, JF_OP_PLUS, JF_OP_INVERT };
/* Beside an operation: what two ints give that needs more than 64 bits is Python's int, where there is an interpreter. */
enum { JF_OP_UNBOUNDED = 1 << 8 };
/* Else ints that need more than 64 bits are an OverflowError. Views in, an owned value out. */
JF_API int32_t jf_op_binary(int32_t op, const jf_any* a, const jf_any* b, jf_value* out);
/* target op= b: a list grows in place for +=; else as jf_op_binary. target is an owned slot of a variable. */
JF_API int32_t jf_op_inplace(int32_t op, jf_value* target, const jf_any* b);
/* An argument of any type as its function works with it: a view of *slot, or of *keep, which text is made in that would
 * otherwise have to be looked through at each use. */
JF_API int32_t jf_op_argument(const jf_any* slot, jf_value* keep, jf_view* out);
JF_API int32_t jf_op_unary(int32_t op, const jf_any* a, jf_value* out);
JF_API int32_t jf_op_compare(int32_t op, const jf_any* a, const jf_any* b); /* op JF_LT ... JF_GE; 1, 0, -1 */
/* A failure of the runtime: its error, with Python's names in the runtime's messages. -1. */
JF_API int32_t jf_op_failed(void);
/* The same of an operation that had to hash a key, or the tuple of `count` keys, at least one. */
JF_API int32_t jf_op_failed_key(const jf_view* keys, size_t count);
JF_API int32_t jf_op_failed_item(const jf_view* items, size_t count);             /* of a set */
JF_API int32_t jf_op_contains(const jf_any* container, const jf_any* item);       /* item in container: 1, 0, -1 */
JF_API int32_t jf_op_is(const jf_any* a, const jf_any* b);                        /* 1, 0 */
JF_API int32_t jf_op_truth(const jf_any* a);                                      /* 1, 0, -1 */
JF_API int32_t jf_op_len(const jf_any* a, int64_t* out);                          /* len(a); TypeError */
JF_API int32_t jf_op_item(const jf_any* value, const jf_any* key, jf_value* out); /* value[key] */
JF_API int32_t jf_op_set_item(const jf_any* value, const jf_any* key, const jf_any* item); /* value[key] = item */
JF_API int32_t jf_op_delete_item(const jf_any* value, const jf_any* key);                  /* del value[key] */
/* start, stop, step: views of None or ints */
JF_API int32_t jf_op_slice(const jf_any* value, const jf_any* start, const jf_any* stop, const jf_any* step,
                           jf_value* out);
JF_API int32_t jf_op_set_slice(const jf_any* value, const jf_any* start, const jf_any* stop, const jf_any* step,
                               const jf_any* items);
JF_API int32_t jf_op_delete_slice(const jf_any* value, const jf_any* start, const jf_any* stop, const jf_any* step);

/* Builtins on a value of any type. */
JF_API int32_t jf_op_str(const jf_any* value, jf_value* out);
JF_API int32_t jf_op_repr(const jf_any* value, jf_value* out);
JF_API int32_t jf_op_ascii(const jf_any* value, jf_value* out);
/* format(value, spec): the whole mini-language for numbers and text, str() of containers with an empty spec; what is of
 * another language says for itself. */
JF_API int32_t jf_op_format(const jf_any* value, const jf_text* spec, jf_value* out);
JF_API int32_t jf_op_int(const jf_any* value, int64_t* out);                   /* int(value): numbers, text, bytes */
JF_API int32_t jf_op_int_base(const jf_any* text, int64_t base, int64_t* out); /* int(text, base) */
/* Either; of more than 64 bits the host's. */
JF_API int32_t jf_op_int_of_any_size(const jf_any* value, int32_t has_base, int64_t base, jf_value* out);
JF_API int32_t jf_op_float(const jf_any* value, double* out);  /* float(value) */
JF_API int32_t jf_op_index(const jf_any* value, int64_t* out); /* what an index may be: int, bool */
JF_API int32_t jf_op_abs(const jf_any* value, jf_value* out);  /* abs(value) */
JF_API int32_t jf_op_round(const jf_any* value, const jf_any* digits,
                           jf_value* out);                                    /* digits: a view of None or an int */
JF_API int32_t jf_op_divmod(const jf_any* a, const jf_any* b, jf_value* out); /* a tuple */
JF_API int32_t jf_op_pow3(const jf_any* a, const jf_any* b, const jf_any* modulus,
                          jf_value* out);                                                /* pow(a, b, modulus) */
JF_API int64_t jf_int_rest_of_product(int64_t x, int64_t y, int64_t z, int64_t modulus); /* (x * y + z) % modulus */
JF_API int32_t jf_op_ord(const jf_any* value, int64_t* out);                             /* ord(value) */
JF_API int32_t jf_op_chr(int64_t code_point, int32_t* out);   /* chr(code_point), as a character alone; ValueError */
JF_API int32_t jf_op_hash(const jf_any* value, int64_t* out); /* of numbers as Python's; of text ours */
/* Classes of isinstance, as a mask: 1 int (bool too), 2 bool, 4 float, 8 str, 16 bytes, 32 list, 64 tuple, 128 dict,
 * 256 None, 512 function. */
JF_API int32_t jf_op_isinstance(const jf_any* value, int32_t mask);
JF_API int32_t jf_op_print(const jf_any* const* values, int32_t count, const jf_text* separator, const jf_text* end);
JF_API void jf_set_print(int32_t (*write)(const char* utf8, size_t size)); /* NULL: standard output */
/* New lists and the like from whatever can be iterated over. */
JF_API int32_t jf_op_list(const jf_any* iterable, int32_t pad, jf_object** out);
/* The items for `a, b = value`, `count` of them; with a star that many or more. */
JF_API int32_t jf_op_unpack(const jf_any* value, int64_t count, int32_t or_more, int32_t pad, jf_object** out);
JF_API int32_t jf_script_too_many(int64_t expected, int64_t got);    /* ValueError; got 0: of what is not counted; -1 */
JF_API int32_t jf_op_tuple(const jf_any* iterable, jf_object** out); /* tuple(iterable): new */
/* bytes(value): of a number of zeros, of bytes, of ints */
JF_API int32_t jf_op_bytes(const jf_any* value, jf_value* out);
/* Whether str(value, encoding) can be: 0, or -1 with TypeError */
JF_API int32_t jf_op_decodable(const jf_any* value);
/* Whether bytes(value, encoding) can be; and whether `function`() can have these as encoding and errors: the same. */
JF_API int32_t jf_op_encodable(const jf_any* value);
JF_API int32_t jf_op_coding(const char* function, const jf_any* encoding, const jf_any* errors);
/* What methods of bytes look for: bytes, or the number of a byte, which is put into *room. 0; 1: neither; -1. */
JF_API int32_t jf_op_byte_text(const jf_any* value, char* room, jf_text* out);
/* A bound of a slice, JF_NO_INDEX for None where `none` allows it; what is too large is as good as the largest. */
JF_API int32_t jf_op_bound(const jf_any* value, int32_t none, int64_t* out);
/* An index of a "string", "byte", ..., as `what` says to whom reads the TypeError. */
JF_API int32_t jf_op_index_of(const jf_any* key, const char* what, int64_t* out);
JF_API int32_t jf_op_dict(const jf_any* mapping_or_pairs, int32_t pad, jf_object** out);
JF_API int32_t jf_op_sorted(const jf_any* iterable, int32_t reverse, int32_t pad, jf_object** out);
JF_API int32_t jf_op_sum(const jf_any* iterable, const jf_any* start, jf_value* out);
/* One item more, or NULL: no more; *lost, 0 at first, is for all of them. */
JF_API int32_t jf_op_sum_item(const jf_any* total, const jf_any* item, double* lost, jf_value* out);
JF_API int32_t jf_op_extreme(const jf_any* iterable, int32_t is_max, jf_value* out); /* min and max of one argument */
JF_API int32_t jf_op_every(const jf_any* iterable, int32_t is_all);                  /* any and all: 1, 0, -1 */
/* Sorts by keys, a list of the same length, which is sorted, too; stable. ValueError where the list changed meanwhile. */
JF_API int32_t jf_op_sort_by(jf_object* list, jf_object* keys, int32_t reverse);
JF_API int32_t jf_op_sort(jf_object* list, int32_t reverse); /* ValueError where the list changed meanwhile */
/* Keys and values of a map in the order of its keys, which have one. */
JF_API int32_t jf_op_map_sorted(jf_object* map, int32_t reverse, int32_t pad, jf_object** keys, jf_object** values);
/* Methods of containers that have no function of the runtime of the same shape: see jitffi/scripts/library/methods.py. */
JF_API int32_t jf_op_extend(jf_object* list, const jf_any* iterable);
JF_API int32_t jf_op_list_pop(jf_object* list, int64_t index, jf_value* out);
JF_API int32_t jf_op_list_remove(jf_object* list, const jf_any* value);
JF_API int32_t jf_op_list_index(jf_object* items, const jf_any* value, int64_t start, int64_t end, int64_t* out);
JF_API int32_t jf_op_list_count(jf_object* items, const jf_any* value, int64_t* out);
JF_API int32_t jf_op_list_copy(jf_object* list, int32_t pad, jf_object** out);
JF_API int32_t jf_op_map_item(jf_object* map, const jf_any* key, jf_value* out); /* KeyError with the key */
JF_API int32_t jf_op_map_set(jf_object* map, const jf_any* key,
                             const jf_any* value); /* text is put in narrow where ASCII */
/* The same of the tuple of `count` keys, at least one, which are narrow where they are ASCII. */
JF_API int32_t jf_op_map_set_views(jf_object* map, const jf_view* keys, size_t count, const jf_any* value);
JF_API int32_t jf_op_map_delete(jf_object* map, const jf_any* key);
JF_API int32_t jf_op_map_get(jf_object* map, const jf_any* key, const jf_any* otherwise, jf_value* out);
JF_API int32_t jf_op_map_setdefault(jf_object* map, const jf_any* key, const jf_any* value, jf_value* out);
JF_API int32_t jf_op_map_pop(jf_object* map, const jf_any* key, const jf_any* otherwise,
                             jf_value* out);                                   /* NULL: KeyError */
JF_API int32_t jf_op_map_popitem(jf_object* map, jf_object** out);             /* a new tuple; KeyError */
JF_API int32_t jf_op_map_keys(jf_object* map, int32_t pad, jf_object** out);   /* a new list, and so the next two */
JF_API int32_t jf_op_map_values(jf_object* map, int32_t pad, jf_object** out); /* of its values */
JF_API int32_t jf_op_map_items(jf_object* map, int32_t pad, jf_object** out);  /* of tuples */
JF_API int32_t jf_op_map_update(jf_object* map, const jf_any* other);          /* map.update(other) */
JF_API int32_t jf_op_map_copy(jf_object* map, int32_t pad, jf_object** out);   /* new */
/* Sets: where `other` is none, and no dict, it can be whatever can be iterated over. */
JF_API int32_t jf_op_set(const jf_any* items, int32_t pad, jf_object** out); /* new */
JF_API int32_t jf_op_set_add(jf_object* set, const jf_any* item);            /* text is put in narrow where ASCII */
JF_API int32_t jf_op_set_add_views(jf_object* set, const jf_view* items, size_t count); /* the tuple of narrow items */
JF_API int32_t jf_op_set_discard(jf_object* set, const jf_any* item);                   /* where it is there */
JF_API int32_t jf_op_set_remove(jf_object* set, const jf_any* item);                    /* KeyError with the item */
JF_API int32_t jf_op_set_pop(jf_object* set, jf_value* out);                            /* the last; KeyError */
JF_API int32_t jf_op_set_combine(const jf_object* set, const jf_any* other, int32_t operation,
                                 jf_object** out);                                       /* new; as jf_set_combine */
JF_API int32_t jf_op_set_change(jf_object* set, const jf_any* other, int32_t operation); /* in place */
enum { JF_OP_DISJOINT = 6 }; /* an operation of jf_op_set_compare: they have nothing in common */
JF_API int32_t jf_op_set_compare(const jf_object* set, const jf_any* other, int32_t operation); /* as jf_set_compare */
/* map[key] op= number where the value is there and a number of the same kind: 1 done in place, 0 not, nothing changed,
 * -1 failed. What `counts[word] += 1` is made of. */
JF_API int32_t jf_op_map_add_int(jf_object* map, const jf_any* key, int64_t number);

/* -- op_number.c: what typed arithmetic calls off its fast path ---------------------------------------------------------- */

JF_API int32_t jf_int_pow(int64_t base, int64_t exponent, jf_value* out); /* an int, or a float for exponents below 0 */
JF_API double jf_float_mod(double a, double b);                           /* b is not 0 */
JF_API double jf_float_floordiv(double a, double b);                      /* b is not 0 */
JF_API int32_t jf_float_pow(double a, double b,
                            double* out); /* a ** b; ZeroDivisionError, OverflowError, ValueError for what is complex */
/* Beyond 64 bits an OverflowError. */
JF_API int32_t jf_int_to_bytes(int64_t value, int64_t length, const jf_text* order, int32_t is_signed, jf_value* out);
JF_API int32_t jf_int_from_bytes(const jf_any* given, const jf_text* order, int32_t is_signed, int64_t* out);
JF_API int32_t jf_int_of_any_size_from_bytes(const jf_any* given, const jf_text* order, int32_t is_signed,
                                             jf_value* out);
JF_API int32_t jf_int_div(int64_t a, int64_t b, double* out); /* a / b, rounded once; ZeroDivisionError */

/* -- op_call.c -- */
/* With the items of a list, which nobody else has, as arguments. */
JF_API int32_t jf_op_call_list(jf_object* function, jf_object* arguments, jf_value* out);

/* -- iterate.c: for over a value of any type ---------------------------------------------------------------------------------- */

typedef struct {
  jf_any subject; /* owned */
  jf_text text;   /* of text */
  int64_t next;
  jf_map_iterator map;
  int32_t kind;
  int32_t what; /* JF_OVER_* */
} jf_iteration;
enum {
  JF_OVER_ITEMS = 0 /* of a map: its keys */,
  JF_OVER_VALUES,
  JF_OVER_PAIRS,
  JF_OVER_REVERSED,
  JF_OVER_STARRED /* as items, of a display */
};
/* Zeroed memory is an iteration that has ended. TypeError for what cannot be iterated over. */
JF_API int32_t jf_iterate(jf_iteration* iteration, const jf_any* subject, int32_t what);
JF_API int32_t jf_iterate_next(jf_iteration* iteration, jf_value* out);                  /* 1, 0 at the end, -1 */
JF_API int32_t jf_iterate_pair(jf_iteration* iteration, jf_value* key, jf_value* value); /* of JF_OVER_PAIRS */
JF_API void jf_iterate_end(jf_iteration* iteration); /* gives up what it holds, wherever it was left */

/* -- host.c: what is done with objects of another language, of which slots hold host objects ------------------------------ */

enum {
  JF_HOST_DIVMOD = 16,
  JF_HOST_ROUND,
  JF_HOST_INT_OF_BASE,   /* int(text, base) */
  JF_HOST_INT_FROM_BYTES /* of bytes, and of an int: 1 for those that begin with the lowest, and 2 for signed ones */
}; /* beside JF_OP_*, of two operands */
enum {
  JF_HOST_ABS = 16,
  JF_HOST_INT,
  JF_HOST_FLOAT,
  JF_HOST_INDEX,
  JF_HOST_BYTES,     /* what stands for an object as bytes */
  JF_HOST_BYTES_CALL /* bytes(value), of which an index is a size */
}; /* beside JF_OP_NEGATE and its like */
/* Operands are resolved, and one at least is a host object, but for % of text; *out, a null out-slot, owns the result. 0, or -1
 * with the last error set. */
typedef struct {
  int32_t (*binary)(int32_t op, const jf_any* a, const jf_any* b, jf_value* out);
  int32_t (*inplace)(int32_t op, const jf_any* a, const jf_any* b, jf_value* out);
  int32_t (*unary)(int32_t op, const jf_any* value, jf_value* out);
  int32_t (*length)(const jf_any* value, int64_t* out);
  int32_t (*isinstance)(const jf_any* value, int32_t mask); /* of jf_op_isinstance: 1 or 0 */
  int32_t (*item)(const jf_any* value, const jf_any* key, jf_value* out);
  int32_t (*set_item)(const jf_any* value, const jf_any* key, const jf_any* item); /* NULL: it is deleted */
  int32_t (*slice)(const jf_any* value, const jf_any* const bounds[3], jf_value* out);
  int32_t (*set_slice)(const jf_any* value, const jf_any* const bounds[3], const jf_any* items); /* NULL: deleted */
  int32_t (*contains)(const jf_any* container, const jf_any* item);                              /* 1, 0 or -1 */
  int32_t (*iterate)(const jf_any* value, int32_t is_reversed, jf_value* iterator);
  int32_t (*next)(jf_value* iterator, jf_value* out); /* 1, 0 at the end, -1 */
  /* By an encoding or a handler of errors that only the host knows. */
  int32_t (*coded)(int32_t is_decoded, const jf_text* text, const jf_text* encoding, const jf_text* errors,
                   jf_value* out);
} jf_script_host;
JF_API void jf_script_set_host(const jf_script_host* host); /* which stays; NULL: there is none */

/* -- vector.c: lists of numbers that one script has for itself ------------------------------------------------------------ */

/* Begins like jf_list, but what is at `data` are the numbers: int64_t, double, or bools as 0 and 1. */
typedef struct {
  jf_object header;
  JF_WIDE(int64_t*, data);
  JF_WIDE(size_t, size);
  JF_WIDE(size_t, capacity);
} jf_vector;
JF_API jf_object* jf_vector_new(size_t capacity);                           /* new, empty */
JF_API int32_t jf_vector_grow(jf_object* vector);                           /* room for one item more */
JF_API int32_t jf_vector_reserve(jf_object* vector, size_t more);           /* room for as many more */
JF_API jf_object* jf_vector_repeat(const jf_object* vector, int64_t times); /* new */
JF_API jf_object* jf_vector_concat(const jf_object* a, const jf_object* b); /* new */
JF_API jf_object* jf_vector_slice(const jf_object* vector, int64_t start, int64_t stop, int64_t step); /* new */
JF_API int32_t jf_vector_pop(jf_object* vector, int64_t index, int64_t* out);                          /* IndexError */
JF_API void jf_vector_clear(jf_object* vector);   /* takes all items out */
JF_API void jf_vector_reverse(jf_object* vector); /* in place */

/* -- op_array.c: nd-arrays, whose elements the script's own code reads and writes ----------------------------------------- */

/* Beside a spec: a borrowed DLTensor will do, as the script does not keep it. */
enum { JF_ARRAY_BORROWED = 1 << 24 };
/* Borrowed from the value, or from *made, a new one or NULL. NULL with TypeError for what is no array of that spec (array.h). */
JF_API jf_object* jf_array_argument(const jf_any* value, int64_t spec, const char* function, const char* name,
                                    const char* type, jf_object** made);
JF_API jf_object* jf_array_slice(jf_object* array, int64_t start, int64_t stop, int64_t step); /* new: a view */
JF_API jf_object* jf_array_row(jf_object* array, int64_t index); /* new: a view; the index is in range */
/* Writes all elements, whose bits are the lowest of these; the next one copies those of an array of the same type and shape. */
JF_API void jf_array_fill(jf_object* array, int64_t bits);
JF_API int32_t jf_array_copy(jf_object* array, jf_object* from); /* ValueError */
/* ValueError; always -1. `other` NULL: its own type says the length. */
JF_API int32_t jf_array_mismatch(const char* function, const char* name, const char* length, int64_t here,
                                 const char* other, int64_t there);
JF_API int32_t jf_array_outside(int64_t index, int64_t size, int32_t axis); /* IndexError; always -1 */
JF_API int32_t jf_array_overflow(int64_t number, const char* element);      /* OverflowError; always -1 */

/* -- op_struct.c ---------------------------------------------------------------------------------------------------------------- */

/* "<expected>, got int 300"; always -1 */
JF_API int32_t jf_struct_refuse(const char* kind, const char* expected, const jf_any* got);
JF_API int32_t jf_struct_outside(const char* member, int64_t index, int64_t size); /* IndexError; always -1 */

/* -- script_error.c -------------------------------------------------------------------------------------------------------------- */

/* raise kind(message); message a view or NULL. Always -1. */
JF_API int32_t jf_script_raise(const char* kind, const jf_any* message);
JF_API int32_t jf_script_fail(const char* kind, const char* message); /* the same with a constant; always -1 */
/* Adds to the last error what its class is called with, where that is not its message alone. */
JF_API void jf_script_error_args(const jf_view* args, size_t count);
JF_API int32_t jf_script_unbound(const char* variable); /* UnboundLocalError; always -1 */
/* TypeError: function: argument or variable `name`: expected `type`, got ...; always -1 */
JF_API int32_t jf_script_mistyped(const char* function, const char* name, const char* type, const jf_any* got);
/* TypeError in CPython's words, with the name of a type for "{}" in them; "{!}" calls that of None so. Always -1 */
JF_API int32_t jf_script_misfit(const char* words, const jf_any* got);
/* Messages of what Python has a value for, and scripts have none. */
#define JF_SCRIPT_BEYOND_INT "int of more than 64 bits"
#define JF_SCRIPT_BEYOND_FLOAT "negative number to a fractional power: scripts have no complex numbers"
JF_API int32_t jf_script_overflow(void); /* OverflowError of an int beyond 64 bits; always -1 */
JF_API int32_t jf_script_no_method(const jf_any* value, const char* name); /* AttributeError; always -1 */
/* The lowest address that a frame of this thread may have; 0 where that is not known. */
JF_API int64_t jf_script_stack_limit(void);
/* What loops ask after so many rounds: how many rounds later they ask again, so that little time is lost and little passes;
 * -1 where the script is to end, with the error that it ends with set. */
JF_API int64_t jf_script_interrupted(int64_t rounds);

/* -- regex.c: regular expressions ------------------------------------------------------------------------------------- */

/* A stack of `size` bytes is full: one of twice that with the same in it, or NULL with the error set. `first` is where it
 * was in the beginning, in the caller's frame; memory that it had elsewhere is freed, on failure, too. */
JF_API void* jf_regex_grow(void* stack, int64_t size, const void* first);
/* Zeros, or NULL where they would be too many; no error is set. Freed as a stack whose first is NULL. */
JF_API void* jf_regex_memory(int64_t size);
JF_API void jf_regex_free(void* stack, const void* first);  /* at the end */
JF_API void jf_set_interrupt(int32_t (*interrupted)(void)); /* what that asks; NULL: nobody interrupts */
/* The last error has passed through `line` of `function` in `file`: a line of its traceback more. */
JF_API void jf_script_trace(const char* file, const char* function, int32_t line);

/* -- exceptions.c ------------------------------------------------------------------------------------------------------ */

/* Whether a built-in exception is, or derives from, another: 1 or 0. */
JF_API int32_t jf_script_derives(const char* name, const char* base);
JF_API int32_t jf_script_catches(const char* name); /* the same of the last error and a built-in class */

JF_API int32_t jf_script_handles(const char* name); /* and of what the innermost except clause is handling */
/* jf_handled_key of a KeyError. */
JF_API void jf_script_handle_key(jf_handled* handled, jf_value* key, const char* file, const char* function,
                                 int32_t line);
JF_API void jf_script_forget(void); /* releases the last error */
/* `raise` outside of all except clauses: what the embedding language is handling, or RuntimeError of that line. Always -1. */
JF_API int32_t jf_script_reraise(const char* file, const char* function, int32_t line);

#ifdef __cplusplus
}
#endif
#endif
