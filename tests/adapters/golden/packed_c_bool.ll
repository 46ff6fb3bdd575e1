;! sig = (bool) -> bool
;! entry = packed
;! callee = c
;! level = 2
;! values = True, False

define i32 @"adapter"(ptr %self, i32 %num_args, ptr %args, ptr %out) nounwind personality ptr @jf_personality {
entry:
  br label %body
body:
  %p = getelementptr i8, ptr %self, i64 48
  %state = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p.1, align 8
  %all = icmp eq i32 %num_args, 1
  br i1 %all, label %arity, label %wrong.arity, !prof !0
wrong.arity:
  %p.2 = getelementptr i8, ptr %state, i64 <state.info>
  %info = load ptr, ptr %p.2, align 8
  %p.3 = getelementptr i8, ptr %table, i64 <cold_packed_arity>
  %packed_arity = load ptr, ptr %p.3, align 8
  call preserve_mostcc void %packed_arity(ptr %info, i32 %num_args)
  br label %fail.runtime
arity:
  %code = load i32, ptr %args, align 4
  %has.code = icmp eq i32 %code, -4
  br i1 %has.code, label %bool, label %lift.slow, !prof !0
bool:
  %p.4 = getelementptr i8, ptr %args, i64 8
  %payload = load i64, ptr %p.4, align 8
  %v = trunc i64 %payload to i1
  br label %lift.done
lift.slow:
  %p.5 = getelementptr i8, ptr %state, i64 <state.info>
  %info.1 = load ptr, ptr %p.5, align 8
  %p.6 = getelementptr i8, ptr %table, i64 <cold_lift_scalar>
  %lift_scalar = load ptr, ptr %p.6, align 8
  %r = call preserve_mostcc { i64, i64 } %lift_scalar(ptr %info.1, i32 0, ptr %args, i32 0)
  %member = extractvalue { i64, i64 } %r, 1
  %failed = icmp ne i64 %member, 0
  br i1 %failed, label %fail.runtime, label %ok, !prof !1
ok:
  %member.1 = extractvalue { i64, i64 } %r, 0
  %v.1 = trunc i64 %member.1 to i1
  br label %lift.done
lift.done:
  %v.2 = phi i1 [ %v, %bool ], [ %v.1, %ok ]
  %p.7 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.7, align 8
  %r.1 = invoke zeroext i1 %target(i1 zeroext %v.2) to label %came.back unwind label %caught
came.back:
  %pending_count = load ptr, ptr %table, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %returned, label %ask.pending, !prof !0
ask.pending:
  %p.8 = getelementptr i8, ptr %table, i64 <cold_take_pending>
  %take_pending = load ptr, ptr %p.8, align 8
  %r.2 = call preserve_mostcc i32 %take_pending()
  %test.1 = icmp eq i32 %r.2, 0
  br i1 %test.1, label %returned, label %lost
lost:
  br label %fail.runtime
returned:
  %v.3 = zext i1 %r.1 to i64
  store i64 4294967292, ptr %out, align 8
  %p.9 = getelementptr i8, ptr %out, i64 8
  store i64 %v.3, ptr %p.9, align 8
  ret i32 0
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.10 = getelementptr i8, ptr %table, i64 <caught>
  %caught.1 = load ptr, ptr %p.10, align 8
  call void %caught.1(ptr %state, ptr %exception)
  %p.11 = getelementptr i8, ptr %table, i64 <cold_take_pending>
  %take_pending.1 = load ptr, ptr %p.11, align 8
  %r.3 = call preserve_mostcc i32 %take_pending.1()
  br label %fail.runtime
fail.runtime:
  %p.12 = getelementptr i8, ptr %table, i64 <cold_any_release>
  %any_release = load ptr, ptr %p.12, align 8
  call preserve_mostcc void %any_release(ptr %out)
  ret i32 -1
}
