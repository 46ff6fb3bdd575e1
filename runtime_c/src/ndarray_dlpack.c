/* Nd-arrays to DLPack's managed tensors and back: whose turn it is to release the memory. */
#include "jitffi/ndarray.h"
#include "message.h"

static void release_managed(void* owner) {
  jf_dlmanaged* managed = owner;
  if (managed->deleter) managed->deleter(managed);
}

static void release_versioned(void* owner) {
  jf_dlversioned* managed = owner;
  if (managed->deleter) managed->deleter(managed);
}

/* Steals managed, also on failure. */
jf_object* jf_ndarray_from_dlpack(jf_dlmanaged* managed) {
  return jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &managed->tensor, 0, managed, release_managed);
}

/* Steals managed, also on failure. Of another major version only the deleter is where it is here. */
jf_object* jf_ndarray_from_dlpack_versioned(jf_dlversioned* managed) {
  if (managed->major == JF_DLPACK_MAJOR)
    return jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &managed->tensor, managed->flags, managed,
                           release_versioned);
  jf_error_format("BufferError", "a tensor is of version %u.%u of DLPack; only 1.x is known", (unsigned)managed->major,
                  (unsigned)managed->minor);
  release_versioned(managed);
  return NULL;
}

static void delete_managed(jf_dlmanaged* self) {
  jf_object_release(self->manager_ctx);
  jf_free(self);
}

static void delete_versioned(jf_dlversioned* self) {
  jf_object_release(self->manager_ctx);
  jf_free(self);
}

/* New; borrows array. Shape and strides are the array's own, which lives as long. */
jf_dlmanaged* jf_ndarray_to_dlpack(jf_object* array) {
  const jf_ndarray* from = (const jf_ndarray*)array;
  if (from->flags & JF_DL_READ_ONLY) {
    jf_error_set("BufferError", "DLPack before version 1 cannot say that an array is read-only");
    return NULL;
  }
  jf_dlmanaged* made = jf_alloc(sizeof *made);
  if (!made) {
    jf_error_no_memory();
    return NULL;
  }
  jf_object_retain(array);
  *made = (jf_dlmanaged){from->tensor, array, delete_managed};
  return made;
}

/* New; borrows array. */
jf_dlversioned* jf_ndarray_to_dlpack_versioned(jf_object* array) {
  const jf_ndarray* from = (const jf_ndarray*)array;
  jf_dlversioned* made = jf_alloc(sizeof *made);
  if (!made) {
    jf_error_no_memory();
    return NULL;
  }
  jf_object_retain(array);
  *made = (jf_dlversioned){JF_DLPACK_MAJOR, JF_DLPACK_MINOR, array, delete_versioned, from->flags, from->tensor};
  return made;
}
