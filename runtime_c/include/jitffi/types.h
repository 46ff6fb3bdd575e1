/* Types of objects that programs define: fields at fixed offsets, methods by name, and what both can be asked.
 *
 *   object   0  header | 16  links, where the type can lead in a circle | fields of the ancestors | its own fields
 *   type     code --> jf_type_info { key, parent, size, fields: ancestors' first, ... }       there as long as the process
 *            code --> methods: name -> function                                             may be replaced
 *
 * A field is a number as C has it, an owned slot, or an owned reference. Objects of a defined type compare, hash, print,
 * take part in cycles and are released by their fields, unless the type's own operations say otherwise.
 */
#ifndef JITFFI_TYPES_H
#define JITFFI_TYPES_H

#include "containers.h"
#include "pattern.h"
#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a field is stored: JF_KIND_* of a number (not the wide ones, nor long double), or one of these. */
enum {
  JF_FIELD_SLOT = 64,  /* a jf_value of 16 bytes: any, str, bytes, and types that may be null or one of several */
  JF_FIELD_OBJECT = 65 /* a jf_object*, one reference; NULL: null */
};
/* Flags of a field. */
enum {
  JF_FIELD_READ_ONLY = 1 << 0,
  JF_FIELD_HAS_DEFAULT = 1 << 1,
  JF_FIELD_HAS_FACTORY = 1 << 2, /* default_value is a function of no arguments, called for each object */
  JF_FIELD_NO_INIT = 1 << 3,     /* constructors take no argument for it */
  JF_FIELD_NO_REPR = 1 << 4,
  JF_FIELD_NO_COMPARE = 1 << 5, /* left out of ==, < and the hash */
  JF_FIELD_KEYWORD_ONLY = 1 << 6,
  JF_FIELD_NO_HASH = 1 << 7,
  JF_FIELD_IGNORED = 1 << 8, /* by structural operations */
  JF_FIELD_DEFINES = 1 << 9, /* free variables that are met in it are bound there, for structural operations */
  JF_FIELD_OF_TYPE = 1
      << 10, /* of kind JF_FIELD_OBJECT: the type is the key of an object type, or optional[...] of one */
  JF_FIELD_DEFINES_ONE = 1 << 11 /* with JF_FIELD_DEFINES: the variables alone, not what their own fields hold */
};
/* Flags of a type. */
enum {
  JF_TYPE_COMPARES = 1 << 0, /* == by fields; else by identity */
  JF_TYPE_ORDERED = 1 << 1,  /* < and its like by fields */
  JF_TYPE_HASHES = 1 << 2,   /* with JF_TYPE_COMPARES: a hash by fields; else there is none */
  JF_TYPE_FROZEN = 1 << 3,   /* all its fields are read-only, in what is derived from it, too */
  JF_TYPE_ENUM = 1 << 4,     /* its objects are members of an enumeration: see JF_ENUM_KEY */
  JF_TYPE_OWN_STRUCTURE = 1
      << 5 /* its methods __s_equal__ and __s_hash__ say what structural operations compare and hash */
};
/* What structural operations take an object for. */
enum {
  JF_STRUCTURE_TREE,       /* its fields, wherever it stands */
  JF_STRUCTURE_FREE_VAR,   /* a variable: equal to the one that it was bound together with */
  JF_STRUCTURE_DAG,        /* its fields, and that it is the same object in the same places */
  JF_STRUCTURE_CONST_TREE, /* its fields; it holds no free variables */
  JF_STRUCTURE_UNIQUE,     /* itself alone */
  JF_STRUCTURE_NONE        /* nothing: comparing it by structure is a TypeError */
};

/* Enumerations derive from the type of this key, whose fields are `name`, a str, and `value`. Their static methods are
 * "__member__", which gives the member that a name is of (ValueError where there is none), and "__members__", which gives a list of
 * all in order. A member is stored as its name, and read as the member of that name. */
#define JF_ENUM_KEY "jitffi.Enum"

typedef struct {
  const char* name;
  const char* type; /* canonical text, as in signatures */
  const char* doc;  /* or NULL */
  int32_t offset;   /* from the object's address; 4 or 8 bytes and slots are aligned */
  int32_t kind;
  uint32_t flags;
  int32_t size;           /* in bytes; set by jf_type_define */
  jf_value default_value; /* null without one; borrowed by jf_type_define, which keeps a copy */
} jf_field;

typedef struct jf_type_info jf_type_info;
struct jf_type_info {
  const char* key;
  const char* doc; /* or NULL */
  int32_t code;    /* set by jf_type_define */
  int32_t parent;  /* a code; JF_ROOT for none */
  int32_t size;    /* of an object, header included; 0: only who defined it can make one */
  int32_t links;   /* the offset of its jf_links; 0: none, or the parent's */
  uint32_t flags;
  int32_t structure;
  int32_t num_fields;
  int32_t num_inherited; /* set by jf_type_define: how many of the fields, from the first, are ancestors' */
  const jf_field* fields;
  /* Makes the fields, all zero, of a new object: 0, or -1 with the error set; NULL: zeros and nulls will do. */
  int32_t (*construct)(jf_object* object);
  /* Releases what the fields hold, in the place of jf_fields_release; does not free the object. */
  void (*destroy)(jf_object* object);
  const jf_call_info* errors; /* set by jf_type_define: one a field, for messages: "demo.Point.x: expected ..." */
  const jf_type_info* former; /* the runtime's own */
  /* Set by jf_type_define: how many of the fields, from the first, construct and destroy know of. A type that has neither has
   * its parent's, for the part that is the parent's. */
  int32_t num_constructed;
};

/* -- type_info.c ------------------------------------------------------------------------------------------------- */

/* Defines a type with its own fields (`num_fields` in `fields`; those of ancestors are added), registering the key below
 * the parent. Everything is copied. Again with the same fields it is the type that there is, with the doc and flags of
 * now; with others a ValueError, and so are fields whose kinds are not those of their types, that lie outside the object's
 * own part, or where another one does when one of both holds a reference. The code; 0 with the error set. */
JF_API int32_t jf_type_define(const jf_type_info* type);
/* Makes `key` another name of a registered type, for texts of types that were written before it was known. 0; -1 with
 * ValueError where the key names another type. */
JF_API int32_t jf_type_alias(const char* key, int32_t code);
/* Of a defined type, borrowed for ever; NULL: the code has no definition. Ancestors' definitions are not looked for. */
JF_API const jf_type_info* jf_type_info_of(int32_t code);
/* Of a field by name, borrowed for ever; NULL: there is none. */
JF_API const jf_field* jf_type_field(const jf_type_info* type, const char* name);

/* The parent's code; 0 of JF_ROOT itself, and of what is no object type. */
JF_API int32_t jf_type_parent(int32_t code);

/* A method: a function whose first argument is the object, or a static one. The static one called "__init__" makes an object of
 * what it is given, and returns it: where there is one, other languages make objects by it. That called JF_METADATA returns a map from
 * names of fields and methods to maps of what is known of each, for tools. */
#define JF_METADATA "__metadata_map__"
typedef struct {
  const char* name;
  const char* doc; /* or NULL */
  int32_t is_static;
  jf_object* function; /* borrowed from the type */
} jf_method;
/* Adds a method to a registered type, or replaces the one of that name; a NULL function takes it out. Retains the
 * function, copies the texts. */
JF_API int32_t jf_type_set_method(int32_t code, const jf_method* method);
/* New: the function of that name, the type's own or the nearest ancestor's; NULL: there is none, no error set. */
JF_API jf_object* jf_type_method(int32_t code, const char* name);
/* Calls visit with each of the type's own methods, in the order of their first setting; stops when it returns non-zero
 * and returns that. The methods are held meanwhile, so visit may use the table. */
JF_API int32_t jf_type_each_method(int32_t code, int32_t (*visit)(const jf_method* method, void* context),
                                   void* context);
/* Calls the method of an object by name; TypeError where its type is none of objects, AttributeError for no method. */
JF_API int32_t jf_method_call(const char* name, int32_t num_args, const jf_view* args, jf_value* out);
/* Calls visit with the code of every registered type, ascending; stops when it returns non-zero and returns that. */
JF_API int32_t jf_type_list(int32_t (*visit)(int32_t code, void* context), void* context);

/* -- object_fields.c --------------------------------------------------------------------------------------------- */

/* New: an object of a defined type, constructed, with the defaults of its fields, which the error of a factory ends. NULL
 * with TypeError for types that only their maker makes, and other errors. */
JF_API jf_object* jf_object_make_of(int32_t code);
/* The same without defaults: for who sets every field next. */
JF_API jf_object* jf_object_make_bare(int32_t code);
/* For types whose objects are made of arguments alone: the `construct` that is a TypeError. What derives from such a type calls
 * the type's own constructor, a static method "__jitffi_construct__", of the address of the object and the arguments of
 * "__init__", which constructs it there, in the place of its fields that are zero and null. */
JF_API int32_t jf_construct_refused(jf_object* object);
/* A view of a field's value, good as long as the field is as it is. Borrows the object, which is of the field's type. */
JF_API void jf_field_view(const jf_object* object, const jf_field* field, jf_view* out);
/* A field's value, into a null out-slot: owned. */
JF_API int32_t jf_field_get(const jf_object* object, const jf_field* field, jf_value* out);
/* Sets a field to what the view holds, checked and converted as a parameter of its type is; also a read-only one, for
 * constructors. `type` is the object's own. TypeError, OverflowError; the field is as before then. */
JF_API int32_t jf_field_set(jf_object* object, const jf_type_info* type, const jf_field* field, const jf_view* value);
/* Whether an object, NULL for null, may stand in a field with JF_FIELD_OF_TYPE. */
JF_API int32_t jf_field_takes(const jf_field* field, const jf_object* value);
/* By name, with AttributeError for a name that there is not, and for a read-only field that is to be set. */
JF_API int32_t jf_object_get(jf_object* object, const char* name, jf_value* out);
JF_API int32_t jf_object_set(jf_object* object, const char* name, const jf_view* value);
/* Stores an object's reference (stolen, NULL allowed), or a value (*value is taken), where it is known to fit. */
JF_API void jf_field_store_object(jf_object* object, const jf_type_info* type, const jf_field* field, jf_object* value);
JF_API void jf_field_store_slot(jf_object* object, const jf_type_info* type, const jf_field* field, jf_value* value);
/* Releases what the fields hold: they are null afterwards, numbers as they are. */
JF_API void jf_fields_release(jf_object* object, const jf_type_info* type);
/* Ends what an object is, but for its memory: by the type's destroy, and the release of fields that it does not know of. */
JF_API void jf_object_destroy(jf_object* object, const jf_type_info* type);
/* For deleters of objects that lie in memory of others. 1: go on, and call jf_object_end_leave behind the release of what
 * the object holds; 0: too much is nested: return at once, the deleter is called again. */
JF_API int32_t jf_object_end_enter(jf_object* object, const jf_type_info* type);
JF_API void jf_object_end_leave(const jf_type_info* type);
/* Makes an object with links known to the finder of cycles, for languages that write fields by themselves. */
JF_API void jf_object_track(jf_object* object, const jf_type_info* type);
/* Generic operations, by fields; `traverse` and `clear` are needed by whoever sets others for a defined type. */
JF_API extern const jf_type_operations jf_field_operations;

#ifdef __cplusplus
}
#endif
#endif
