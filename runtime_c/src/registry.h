/* What messages about names that are not registered say. */
#ifndef JITFFI_SRC_REGISTRY_H
#define JITFFI_SRC_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

/* Characters to insert, remove or replace to make one of the other; SIZE_MAX for names that are too long to ask. */
size_t jf_edit_distance(const char* left, const char* right);

#endif
