;! sig = () -> void
;! entry = tvm_ffi
;! callee = c
;! level = 0

define i32 @"adapter"(ptr %handle, ptr %args, i32 %num_args, ptr %result) nounwind personality ptr @jf_personality {
entry:
  %views = alloca [16 x i8], align 8
  %out = alloca [136 x i8], align 8
  store i64 554050781183, ptr %out, align 8
  %p.2 = getelementptr i8, ptr %out, i64 8
  store i64 0, ptr %p.2, align 8
  br label %body
body:
  %p = getelementptr i8, ptr %handle, i64 48
  %state = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p.1, align 8
  %all = icmp eq i32 %num_args, 0
  br i1 %all, label %arity, label %wrong.arity, !prof !0
wrong.arity:
  %p.3 = getelementptr i8, ptr %state, i64 <state.info>
  %info = load ptr, ptr %p.3, align 8
  %p.4 = getelementptr i8, ptr %table, i64 <packed_arity>
  %packed_arity = load ptr, ptr %p.4, align 8
  call void %packed_arity(ptr %info, i32 %num_args)
  br label %fail.runtime
arity:
  %p.5 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.5, align 8
  invoke void %target() to label %came.back unwind label %caught
came.back:
  %pending_count = load ptr, ptr %table, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %returned, label %ask.pending, !prof !0
ask.pending:
  %p.6 = getelementptr i8, ptr %table, i64 <take_pending>
  %take_pending = load ptr, ptr %p.6, align 8
  %r = call i32 %take_pending()
  %test.1 = icmp eq i32 %r, 0
  br i1 %test.1, label %returned, label %lost
lost:
  br label %fail.runtime
returned:
  store i64 4294967295, ptr %out, align 8
  %p.7 = getelementptr i8, ptr %out, i64 8
  store ptr null, ptr %p.7, align 8
  %code = load i32, ptr %out, align 4
  %is.plain = icmp eq i32 %code, -1
  br i1 %is.plain, label %plain, label %other.1, !prof !0
plain:
  %p.8 = getelementptr i8, ptr %out, i64 8
  %payload = load i64, ptr %p.8, align 8
  %p.9 = getelementptr i8, ptr %result, i64 8
  store i64 %payload, ptr %p.9, align 8
  %p.10 = getelementptr i8, ptr %result, i64 4
  store i32 0, ptr %p.10, align 4
  store i32 0, ptr %result, align 4
  br label %given
other.1:
  br label %other
other:
  %p.11 = getelementptr i8, ptr %table, i64 <tvmffi_give>
  %tvmffi_give = load ptr, ptr %p.11, align 8
  %r.1 = call i32 %tvmffi_give(ptr %out, ptr %result)
  %failed = icmp ne i32 %r.1, 0
  br i1 %failed, label %fail.runtime, label %ok, !prof !1
ok:
  br label %given
given:
  ret i32 0
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.12 = getelementptr i8, ptr %table, i64 <caught>
  %caught.1 = load ptr, ptr %p.12, align 8
  call void %caught.1(ptr %state, ptr %exception)
  %p.13 = getelementptr i8, ptr %table, i64 <take_pending>
  %take_pending.1 = load ptr, ptr %p.13, align 8
  %r.2 = call i32 %take_pending.1()
  br label %fail.runtime
fail.runtime:
  %p.14 = getelementptr i8, ptr %table, i64 <any_release>
  %any_release = load ptr, ptr %p.14, align 8
  call void %any_release(ptr %out)
  %p.15 = getelementptr i8, ptr %table, i64 <tvmffi_raise>
  %tvmffi_raise = load ptr, ptr %p.15, align 8
  call void %tvmffi_raise()
  ret i32 -1
}
