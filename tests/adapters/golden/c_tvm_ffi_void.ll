;! sig = () -> void
;! entry = c
;! callee = tvm_ffi
;! level = 0

define void @"adapter"(ptr nest %closure) nounwind personality ptr @jf_personality {
entry:
  %args = alloca [16 x i8], align 8
  %result = alloca [16 x i8], align 8
  %any = alloca [16 x i8], align 8
  br label %body
body:
  %state = load ptr, ptr %closure, align 8
  %p = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %state, i64 <state.self>
  %callee = load ptr, ptr %p.1, align 8
  %pending_count = load ptr, ptr %table, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %run, label %ask, !prof !0
ask:
  %p.2 = getelementptr i8, ptr %table, i64 <is_pending>
  %is_pending = load ptr, ptr %p.2, align 8
  %r = call i32 %is_pending()
  %test.1 = icmp eq i32 %r, 0
  br i1 %test.1, label %run, label %silent
silent:
  ret void
run:
  store i64 4294967295, ptr %result, align 8
  %p.3 = getelementptr i8, ptr %result, i64 8
  store i64 0, ptr %p.3, align 8
  store i64 0, ptr %any, align 8
  %p.4 = getelementptr i8, ptr %any, i64 8
  store i64 0, ptr %p.4, align 8
  %p.5 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.5, align 8
  %r.1 = invoke i32 %target(ptr %callee, ptr %args, i32 0, ptr %any) to label %came.back unwind label %caught
came.back:
  %succeeded = icmp eq i32 %r.1, 0
  br i1 %succeeded, label %returned, label %callee.failed, !prof !0
callee.failed:
  %p.6 = getelementptr i8, ptr %table, i64 <tvmffi_failed>
  %tvmffi_failed = load ptr, ptr %p.6, align 8
  call void %tvmffi_failed()
  br label %fail.runtime
returned:
  %index = load i32, ptr %any, align 4
  %is.plain = icmp eq i32 %index, 0
  br i1 %is.plain, label %plain, label %other, !prof !0
plain:
  %p.7 = getelementptr i8, ptr %any, i64 8
  %payload = load i64, ptr %p.7, align 8
  %p.8 = getelementptr i8, ptr %result, i64 8
  store i64 %payload, ptr %p.8, align 8
  %p.9 = getelementptr i8, ptr %result, i64 4
  store i32 0, ptr %p.9, align 4
  store i32 -1, ptr %result, align 4
  br label %taken
other:
  %p.10 = getelementptr i8, ptr %table, i64 <tvmffi_take>
  %tvmffi_take = load ptr, ptr %p.10, align 8
  %r.2 = call i32 %tvmffi_take(ptr %any, ptr %result)
  %failed = icmp ne i32 %r.2, 0
  br i1 %failed, label %fail.runtime, label %ok, !prof !1
ok:
  br label %taken
taken:
  %code = load i32, ptr %result, align 4
  %has.code = icmp eq i32 %code, -1
  br i1 %has.code, label %null, label %dropped, !prof !0
dropped:
  %p.11 = getelementptr i8, ptr %table, i64 <any_release>
  %any_release = load ptr, ptr %p.11, align 8
  call void %any_release(ptr %result)
  br label %null
null:
  ret void
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.12 = getelementptr i8, ptr %table, i64 <caught>
  %caught.1 = load ptr, ptr %p.12, align 8
  call void %caught.1(ptr %state, ptr %exception)
  br label %fail.runtime
fail.runtime:
  %p.13 = getelementptr i8, ptr %table, i64 <error_pending>
  %error_pending = load ptr, ptr %p.13, align 8
  call void %error_pending()
  ret void
}
