/* What the writers and readers of graphs share: nodes in order, and nodes that are made before what is in them. */
#ifndef JITFFI_SRC_GRAPH_H
#define JITFFI_SRC_GRAPH_H

#include "jitffi/ndarray.h"
#include "structural.h"

/* -- graph_collect.c -- */

typedef struct {
  jf_growing nodes;   /* jf_parts, each behind what is in it but for circles, tuples always behind tuples */
  jf_pairs numbers;   /* (object, 0) -> its number */
  jf_growing waiting; /* jf_parts of tuples, while nodes are collected */
  int32_t is_plain;   /* a tree of containers and arrays */
  const char* name;   /* of the function, for errors */
} jf_graph;
/* Of a resolved value. -1: TypeError for what cannot be stored, MemoryError. jf_graph_free in either case. */
int32_t jf_graph_collect(jf_graph* graph, const jf_any* value);
void jf_graph_free(jf_graph* graph);
static inline size_t jf_graph_size(const jf_graph* g) { return g->nodes.size / sizeof(jf_parts); }
static inline jf_parts* jf_graph_node(const jf_graph* g, size_t number) {
  return (jf_parts*)(void*)g->nodes.data + number;
}
/* The node of a resolved value: its number, or -1: it is none. */
int64_t jf_graph_number(const jf_graph* graph, const jf_any* value);

/* The bytes of an array's elements in C order; they are copied to `to`. -1 with the error set. */
size_t jf_elements_size(const jf_dltensor* tensor, uint64_t flags);
int32_t jf_elements_copy(jf_object* array, char* to);

/* -- graph_build.c -- */

/* Nodes by their numbers, while they are read. */
typedef struct {
  jf_object** objects; /* NULL: not made yet */
  size_t count;
} jf_nodes;
int32_t jf_nodes_init(jf_nodes* nodes, size_t count); /* -1 with MemoryError */
/* New: an empty list, map or set, or an object of a type whose fields are zero and null. NULL with the error set. */
jf_object* jf_node_make(int32_t kind, const jf_type_info* type);
/* New: the member of an enumeration that has that name. NULL with the error set. */
jf_object* jf_node_member(const jf_type_info* type, const jf_value* name);
/* Gives the references up; after a failure (status not 0) all that was in them, too, so that no circle is left. */
void jf_nodes_free(jf_nodes* nodes, int32_t status);
/* -1 with ValueError: the version of a stored type is newer than the type's. */
int32_t jf_stored_version(const jf_type_info* type, uint64_t version);
/* The type of a key. NULL with ValueError. */
const jf_type_info* jf_stored_type(const char* key, size_t size);
/* An array of elements that lie there in C order. 0; 1: they are not as many as the shape says, which no array is made of; -1. */
int32_t jf_array_load(int32_t ndim, const int64_t* dims, jf_dtype dtype, const char* bytes, size_t size, jf_value* out);
/* As jf_field_set, of what was stored: a reference that the class's own constructor leaves null may have been null. */
int32_t jf_field_load(jf_object* object, const jf_type_info* type, const jf_field* field, const jf_view* view);
/* Whether it is such a reference. */
int32_t jf_field_is_of_class(const jf_type_info* type, const jf_field* field);
/* Sets the fields that were not told (by bits, as many as there are fields) to their defaults; ValueError for those that have none. */
int32_t jf_fields_complete(jf_object* object, const jf_type_info* type, const uint8_t* told);
/* Whether all fields still hold what their types ask for, now that what is in them is filled. -1 with the error set. */
int32_t jf_fields_check(jf_object* object);

#endif
