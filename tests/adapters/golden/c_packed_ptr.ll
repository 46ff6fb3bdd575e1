;! sig = (ptr) -> ptr
;! entry = c
;! callee = packed
;! level = 2
;! values = None, 5

define ptr @"adapter"(ptr nest %closure, ptr %a0) nounwind personality ptr @jf_personality {
entry:
  %args = alloca [16 x i8], align 8
  %result = alloca [16 x i8], align 8
  %address = alloca [8 x i8], align 8
  br label %body
body:
  %state = load ptr, ptr %closure, align 8
  %p = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %state, i64 <state.self>
  %callee = load ptr, ptr %p.1, align 8
  %p.2 = getelementptr i8, ptr %callee, i64 40
  %their.types = load ptr, ptr %p.2, align 8
  %p.3 = getelementptr i8, ptr %state, i64 <state.types>
  %our.types = load ptr, ptr %p.3, align 8
  %same.types = icmp eq ptr %their.types, %our.types
  br i1 %same.types, label %same, label %packed
same:
  %p.4 = getelementptr i8, ptr %callee, i64 32
  %native = load ptr, ptr %p.4, align 8
  %is.null = icmp eq ptr %native, null
  br i1 %is.null, label %packed, label %direct
direct:
  %r = invoke ptr %native(ptr %a0) to label %came.back unwind label %caught
came.back:
  br label %called
packed:
  %pending_count = load ptr, ptr %table, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %run, label %ask, !prof !0
ask:
  %p.5 = getelementptr i8, ptr %table, i64 <cold_is_pending>
  %is_pending = load ptr, ptr %p.5, align 8
  %r.1 = call preserve_mostcc i32 %is_pending()
  %test.1 = icmp eq i32 %r.1, 0
  br i1 %test.1, label %run, label %silent
silent:
  %p.6 = getelementptr i8, ptr %state, i64 <state.on_error>
  %on.error = load ptr, ptr %p.6, align 8
  ret ptr %on.error
run:
  %is.null.1 = icmp eq ptr %a0, null
  %choice = select i1 %is.null.1, i64 4294967295, i64 4294967291
  store i64 %choice, ptr %args, align 8
  %p.7 = getelementptr i8, ptr %args, i64 8
  store ptr %a0, ptr %p.7, align 8
  store i64 4294967295, ptr %result, align 8
  %p.8 = getelementptr i8, ptr %result, i64 8
  store i64 0, ptr %p.8, align 8
  %p.9 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.9, align 8
  %r.2 = invoke i32 %target(ptr %callee, i32 1, ptr %args, ptr %result) to label %came.back.1 unwind label %caught.1
came.back.1:
  %succeeded = icmp eq i32 %r.2, 0
  br i1 %succeeded, label %returned, label %callee.failed, !prof !0
callee.failed:
  %p.10 = getelementptr i8, ptr %table, i64 <cold_any_release>
  %any_release = load ptr, ptr %p.10, align 8
  call preserve_mostcc void %any_release(ptr %result)
  br label %fail.runtime
returned:
  %code = load i32, ptr %result, align 4
  %has.code = icmp eq i32 %code, -5
  br i1 %has.code, label %handle, label %lift.slow, !prof !0
handle:
  %p.11 = getelementptr i8, ptr %result, i64 8
  %v = load ptr, ptr %p.11, align 8
  br label %lift.done
lift.slow:
  %p.12 = getelementptr i8, ptr %state, i64 <state.info>
  %info = load ptr, ptr %p.12, align 8
  %p.13 = getelementptr i8, ptr %table, i64 <cold_lift_ptr>
  %lift_ptr = load ptr, ptr %p.13, align 8
  %r.3 = call preserve_mostcc i32 %lift_ptr(ptr %info, i32 -1, ptr %result, ptr %address)
  %p.14 = getelementptr i8, ptr %table, i64 <cold_any_release>
  %any_release.1 = load ptr, ptr %p.14, align 8
  call preserve_mostcc void %any_release.1(ptr %result)
  %failed = icmp ne i32 %r.3, 0
  br i1 %failed, label %fail.runtime, label %ok, !prof !1
ok:
  %v.1 = load ptr, ptr %address, align 8
  br label %lift.done
lift.done:
  %v.2 = phi ptr [ %v, %handle ], [ %v.1, %ok ]
  br label %called
called:
  %result.1 = phi ptr [ %r, %came.back ], [ %v.2, %lift.done ]
  ret ptr %result.1
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.15 = getelementptr i8, ptr %table, i64 <caught>
  %caught.2 = load ptr, ptr %p.15, align 8
  call void %caught.2(ptr %state, ptr %exception)
  br label %fail.runtime
caught.1:
  %landed.1 = landingpad { ptr, i32 } catch ptr null
  %exception.1 = extractvalue { ptr, i32 } %landed.1, 0
  %p.16 = getelementptr i8, ptr %table, i64 <caught>
  %caught.3 = load ptr, ptr %p.16, align 8
  call void %caught.3(ptr %state, ptr %exception.1)
  br label %fail.runtime
fail.runtime:
  %current = load ptr, ptr %closure, align 8
  %test.2 = icmp eq ptr %current, %state
  br i1 %test.2, label %alive, label %known
alive:
  %p.17 = getelementptr i8, ptr %state, i64 <state.on_error>
  %on.error.1 = load ptr, ptr %p.17, align 8
  br label %known
known:
  %failure = phi ptr [ zeroinitializer, %fail.runtime ], [ %on.error.1, %alive ]
  %p.18 = getelementptr i8, ptr %table, i64 <cold_error_pending>
  %error_pending = load ptr, ptr %p.18, align 8
  call preserve_mostcc void %error_pending()
  ret ptr %failure
}
