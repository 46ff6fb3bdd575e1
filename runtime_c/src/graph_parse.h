/* A reader of JSON: its text, and values made of it without recursion. */
#ifndef JITFFI_SRC_GRAPH_PARSE_H
#define JITFFI_SRC_GRAPH_PARSE_H

#include "graph.h"

typedef struct {
  const char* start;
  const char* at;
  const char* end;
  jf_nodes* nodes;   /* what {"$node": n} stands for; NULL: nothing */
  jf_growing string; /* the last one read */
} jf_json;

int32_t jf_json_fail(const jf_json* j, const char* what); /* ValueError with the position; -1 */
void jf_json_space(jf_json* j);
int32_t jf_json_take(jf_json* j, char c);           /* behind spaces: 1 and past it; 0: something else */
int32_t jf_json_expect(jf_json* j, char c);         /* -1: something else */
int32_t jf_json_string(jf_json* j);                 /* into j->string, UTF-8 with a NUL that is not counted */
int32_t jf_json_count(jf_json* j, int64_t* number); /* an int from 0 on */
int32_t jf_json_skip(jf_json* j);                   /* a value, of which only brackets and strings are looked at */
int32_t jf_json_value(jf_json* j, jf_value* out);   /* graph_parse.c; containers are native ones */

/* graph_tags.c: what {"$...": content} stands for; takes *content, and leaves the result there. */
int32_t jf_json_decode(jf_json* j, const char* tag, jf_value* content);

#endif
