;! sig = (i64) -> i64
;! entry = python
;! callee = packed_legacy
;! level = 2
;! values = 5, -1

define ptr @"adapter"(ptr %self, ptr %args, i64 %nargs) nounwind {
entry:
  %args.1 = alloca [16 x i8], align 8
  %result = alloca [16 x i8], align 8
  br label %body
body:
  %state = getelementptr i8, ptr %self, i64 <function.state>
  %all = icmp eq i64 %nargs, 1
  br i1 %all, label %arity, label %arrange, !prof !0
arrange:
  %p = getelementptr i8, ptr %state, i64 <state.table>
  %table = load ptr, ptr %p, align 8
  %p.1 = getelementptr i8, ptr %table, i64 <cold_raise_arity>
  %raise_arity = load ptr, ptr %p.1, align 8
  call preserve_mostcc void %raise_arity(ptr %state, i64 %nargs)
  br label %fail.python
arity:
  %arg0 = load ptr, ptr %args, align 8
  %p.2 = getelementptr i8, ptr %arg0, i64 <object.type>
  %type = load ptr, ptr %p.2, align 8
  %p.3 = getelementptr i8, ptr %state, i64 <state.table>
  %table.1 = load ptr, ptr %p.3, align 8
  %p.4 = getelementptr i8, ptr %table.1, i64 <long_type>
  %long_type = load ptr, ptr %p.4, align 8
  %exact = icmp eq ptr %type, %long_type
  br i1 %exact, label %long, label %unbox.slow, !prof !0
long:
  %p.5 = getelementptr i8, ptr %arg0, i64 <long.tag>
  %tag = load i64, ptr %p.5, align 8
  %p.6 = getelementptr i8, ptr %arg0, i64 <long.digits>
  %digit = load i32, ptr %p.6, align 4
  %v = zext i32 %digit to i64
  %bits = and i64 %tag, 3
  %sign = sub i64 1, %bits
  %compact = icmp ult i64 %tag, 16
  br i1 %compact, label %one, label %two, !prof !0
one:
  %product = mul i64 %v, %sign
  br label %long.done
two:
  %shifted = lshr i64 %tag, 3
  %test = icmp eq i64 %shifted, 2
  br i1 %test, label %two.1, label %unbox.slow, !prof !0
two.1:
  %p.7 = getelementptr i8, ptr %arg0, i64 <long.digits + 4>
  %digit.1 = load i32, ptr %p.7, align 4
  %v.1 = zext i32 %digit.1 to i64
  %shifted.1 = shl i64 %v.1, 30
  %bits.1 = or i64 %v, %shifted.1
  %product.1 = mul i64 %bits.1, %sign
  br label %long.done
long.done:
  %long.1 = phi i64 [ %product, %one ], [ %product.1, %two.1 ]
  br label %unbox.done
unbox.slow:
  %p.8 = getelementptr i8, ptr %state, i64 <state.table>
  %table.2 = load ptr, ptr %p.8, align 8
  %p.9 = getelementptr i8, ptr %table.2, i64 <cold_unbox_scalar>
  %unbox_scalar = load ptr, ptr %p.9, align 8
  %r = call preserve_mostcc { i64, i64 } %unbox_scalar(ptr %state, i32 0, ptr %arg0, i32 4)
  %member = extractvalue { i64, i64 } %r, 1
  %failed = icmp ne i64 %member, 0
  br i1 %failed, label %fail.python, label %ok, !prof !1
ok:
  %member.1 = extractvalue { i64, i64 } %r, 0
  br label %unbox.done
unbox.done:
  %v.2 = phi i64 [ %long.1, %long.done ], [ %member.1, %ok ]
  %p.10 = getelementptr i8, ptr %state, i64 <state.self>
  %callee = load ptr, ptr %p.10, align 8
  store i64 4294967294, ptr %args.1, align 8
  %p.11 = getelementptr i8, ptr %args.1, i64 8
  store i64 %v.2, ptr %p.11, align 8
  store i64 4294967295, ptr %result, align 8
  %p.12 = getelementptr i8, ptr %result, i64 8
  store i64 0, ptr %p.12, align 8
  %p.13 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.13, align 8
  %p.14 = getelementptr i8, ptr %state, i64 <state.info>
  %info = load ptr, ptr %p.14, align 8
  %p.15 = getelementptr i8, ptr %state, i64 <state.table>
  %table.3 = load ptr, ptr %p.15, align 8
  %p.16 = getelementptr i8, ptr %table.3, i64 <legacy_invoke>
  %legacy_invoke = load ptr, ptr %p.16, align 8
  %r.1 = call i32 %legacy_invoke(ptr %info, ptr %target, ptr %callee, i32 1, ptr %args.1, ptr %result)
  %failed.1 = icmp ne i32 %r.1, 0
  br i1 %failed.1, label %fail.runtime, label %ok.1, !prof !1
ok.1:
  %code = load i32, ptr %result, align 4
  %has.code = icmp eq i32 %code, -2
  br i1 %has.code, label %int, label %lift.slow, !prof !0
int:
  %p.17 = getelementptr i8, ptr %result, i64 8
  %payload = load i64, ptr %p.17, align 8
  br label %lift.done
lift.slow:
  %p.18 = getelementptr i8, ptr %state, i64 <state.info>
  %info.1 = load ptr, ptr %p.18, align 8
  %p.19 = getelementptr i8, ptr %state, i64 <state.table>
  %table.4 = load ptr, ptr %p.19, align 8
  %p.20 = getelementptr i8, ptr %table.4, i64 <cold_lift_scalar>
  %lift_scalar = load ptr, ptr %p.20, align 8
  %r.2 = call preserve_mostcc { i64, i64 } %lift_scalar(ptr %info.1, i32 -1, ptr %result, i32 4)
  %p.21 = getelementptr i8, ptr %state, i64 <state.table>
  %table.5 = load ptr, ptr %p.21, align 8
  %p.22 = getelementptr i8, ptr %table.5, i64 <cold_any_release>
  %any_release = load ptr, ptr %p.22, align 8
  call preserve_mostcc void %any_release(ptr %result)
  %member.2 = extractvalue { i64, i64 } %r.2, 1
  %failed.2 = icmp ne i64 %member.2, 0
  br i1 %failed.2, label %fail.runtime, label %ok.2, !prof !1
ok.2:
  %member.3 = extractvalue { i64, i64 } %r.2, 0
  br label %lift.done
lift.done:
  %v.3 = phi i64 [ %payload, %int ], [ %member.3, %ok.2 ]
  %p.23 = getelementptr i8, ptr %state, i64 <state.table>
  %table.6 = load ptr, ptr %p.23, align 8
  %p.24 = getelementptr i8, ptr %table.6, i64 <box_i64>
  %box_i64 = load ptr, ptr %p.24, align 8
  %r.3 = tail call ptr %box_i64(i64 %v.3)
  ret ptr %r.3
fail.python:
  ret ptr null
fail.runtime:
  %p.25 = getelementptr i8, ptr %state, i64 <state.table>
  %table.7 = load ptr, ptr %p.25, align 8
  %p.26 = getelementptr i8, ptr %table.7, i64 <cold_error_raise>
  %error_raise = load ptr, ptr %p.26, align 8
  call preserve_mostcc void %error_raise(ptr %state)
  ret ptr null
}
