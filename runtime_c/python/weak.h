/* What is not in every CPython that an emitted module may be loaded into by mistake (the stable ABI of 3.10 has everything else). Where
 * such a symbol is missing it is NULL, and nobody gets so far as to use it: the module refuses to be imported.
 */
#ifndef JITFFI_WEAK_H
#define JITFFI_WEAK_H

#endif
