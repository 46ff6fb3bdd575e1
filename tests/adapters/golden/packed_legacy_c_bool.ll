;! sig = (bool) -> bool
;! entry = packed_legacy
;! callee = c
;! level = 2
;! values = True, False

define i32 @"adapter"(ptr %self, i32 %num_args, ptr %type_codes, ptr %values, ptr %out_code, ptr %out_value) nounwind personality ptr @jf_personality {
entry:
  %views = alloca [16 x i8], align 8
  %out = alloca [136 x i8], align 8
  store i64 554050781183, ptr %out, align 8
  %p.4 = getelementptr i8, ptr %out, i64 8
  store i64 0, ptr %p.4, align 8
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
  %p.5 = getelementptr i8, ptr %state, i64 <state.info>
  %info.1 = load ptr, ptr %p.5, align 8
  %p.6 = getelementptr i8, ptr %table, i64 <legacy_views>
  %legacy_views = load ptr, ptr %p.6, align 8
  %r = call i32 %legacy_views(ptr %info.1, i32 %num_args, ptr %type_codes, ptr %values, ptr %views)
  %failed = icmp ne i32 %r, 0
  br i1 %failed, label %fail.runtime, label %ok, !prof !1
ok:
  %code = load i32, ptr %views, align 4
  %p.7 = getelementptr i8, ptr %views, i64 8
  %word = load i64, ptr %p.7, align 8
  %is.int = icmp eq i32 %code, -2
  %truth = icmp ne i64 %word, 0
  %v = zext i1 %truth to i64
  %choice = select i1 %is.int, i32 -4, i32 %code
  store i32 %choice, ptr %views, align 4
  %choice.1 = select i1 %is.int, i64 %v, i64 %word
  %p.8 = getelementptr i8, ptr %views, i64 8
  store i64 %choice.1, ptr %p.8, align 8
  %code.1 = load i32, ptr %views, align 4
  %has.code = icmp eq i32 %code.1, -4
  br i1 %has.code, label %bool, label %lift.slow, !prof !0
bool:
  %p.9 = getelementptr i8, ptr %views, i64 8
  %payload = load i64, ptr %p.9, align 8
  %v.1 = trunc i64 %payload to i1
  br label %lift.done
lift.slow:
  %p.10 = getelementptr i8, ptr %state, i64 <state.info>
  %info.2 = load ptr, ptr %p.10, align 8
  %p.11 = getelementptr i8, ptr %table, i64 <cold_lift_scalar>
  %lift_scalar = load ptr, ptr %p.11, align 8
  %r.1 = call preserve_mostcc { i64, i64 } %lift_scalar(ptr %info.2, i32 0, ptr %views, i32 0)
  %member = extractvalue { i64, i64 } %r.1, 1
  %failed.1 = icmp ne i64 %member, 0
  br i1 %failed.1, label %fail.runtime, label %ok.1, !prof !1
ok.1:
  %member.1 = extractvalue { i64, i64 } %r.1, 0
  %v.2 = trunc i64 %member.1 to i1
  br label %lift.done
lift.done:
  %v.3 = phi i1 [ %v.1, %bool ], [ %v.2, %ok.1 ]
  %p.12 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.12, align 8
  %r.2 = invoke zeroext i1 %target(i1 zeroext %v.3) to label %came.back unwind label %caught
came.back:
  %pending_count = load ptr, ptr %table, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test = icmp eq i32 %pending, 0
  br i1 %test, label %returned, label %ask.pending, !prof !0
ask.pending:
  %p.13 = getelementptr i8, ptr %table, i64 <cold_take_pending>
  %take_pending = load ptr, ptr %p.13, align 8
  %r.3 = call preserve_mostcc i32 %take_pending()
  %test.1 = icmp eq i32 %r.3, 0
  br i1 %test.1, label %returned, label %lost
lost:
  br label %fail.runtime
returned:
  %v.4 = zext i1 %r.2 to i64
  store i64 4294967292, ptr %out, align 8
  %p.14 = getelementptr i8, ptr %out, i64 8
  store i64 %v.4, ptr %p.14, align 8
  %p.15 = getelementptr i8, ptr %state, i64 <state.info>
  %info.3 = load ptr, ptr %p.15, align 8
  %p.16 = getelementptr i8, ptr %table, i64 <legacy_give>
  %legacy_give = load ptr, ptr %p.16, align 8
  %r.4 = call i32 %legacy_give(ptr %info.3, ptr %out, ptr %out_code, ptr %out_value)
  %failed.2 = icmp ne i32 %r.4, 0
  br i1 %failed.2, label %fail.runtime, label %ok.2, !prof !1
ok.2:
  ret i32 0
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.17 = getelementptr i8, ptr %table, i64 <caught>
  %caught.1 = load ptr, ptr %p.17, align 8
  call void %caught.1(ptr %state, ptr %exception)
  %p.18 = getelementptr i8, ptr %table, i64 <cold_take_pending>
  %take_pending.1 = load ptr, ptr %p.18, align 8
  %r.5 = call preserve_mostcc i32 %take_pending.1()
  br label %fail.runtime
fail.runtime:
  %p.19 = getelementptr i8, ptr %table, i64 <cold_any_release>
  %any_release = load ptr, ptr %p.19, align 8
  call preserve_mostcc void %any_release(ptr %out)
  ret i32 -1
}
