/* DLPack's floats of eight bits; `code` is the DLDataTypeCode of one. */
#ifndef JITFFI_PYTHON_FLOAT8_H
#define JITFFI_PYTHON_FLOAT8_H

#include <stdint.h>

double core_float8_read(int code, uint8_t bits);
/* 0, or -1 where the format has no such number. */
int core_float8_write(int code, double value, uint8_t* bits);
double core_float8_most(int code); /* the largest number */

#endif
