;! sig = (i64) -> i64
;! entry = python
;! callee = c
;! level = 2
;! values = 5, -1, 2**62

define ptr @"adapter"(ptr %self, ptr %args, i64 %nargs) nounwind personality ptr @jf_personality {
entry:
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
  %p.10 = getelementptr i8, ptr %state, i64 <state.target>
  %target = load ptr, ptr %p.10, align 8
  %r.1 = invoke i64 %target(i64 %v.2) to label %came.back unwind label %caught
came.back:
  %p.11 = getelementptr i8, ptr %state, i64 <state.table>
  %table.3 = load ptr, ptr %p.11, align 8
  %pending_count = load ptr, ptr %table.3, align 8
  %pending = load i32, ptr %pending_count, align 4
  %test.1 = icmp eq i32 %pending, 0
  br i1 %test.1, label %returned, label %ask.pending, !prof !0
ask.pending:
  %p.12 = getelementptr i8, ptr %state, i64 <state.table>
  %table.4 = load ptr, ptr %p.12, align 8
  %p.13 = getelementptr i8, ptr %table.4, i64 <cold_take_pending>
  %take_pending = load ptr, ptr %p.13, align 8
  %r.2 = call preserve_mostcc i32 %take_pending()
  %test.2 = icmp eq i32 %r.2, 0
  br i1 %test.2, label %returned, label %lost
lost:
  br label %fail.runtime
returned:
  %p.14 = getelementptr i8, ptr %state, i64 <state.table>
  %table.5 = load ptr, ptr %p.14, align 8
  %p.15 = getelementptr i8, ptr %table.5, i64 <box_i64>
  %box_i64 = load ptr, ptr %p.15, align 8
  %r.3 = tail call ptr %box_i64(i64 %r.1)
  ret ptr %r.3
caught:
  %landed = landingpad { ptr, i32 } catch ptr null
  %exception = extractvalue { ptr, i32 } %landed, 0
  %p.16 = getelementptr i8, ptr %state, i64 <state.table>
  %table.6 = load ptr, ptr %p.16, align 8
  %p.17 = getelementptr i8, ptr %table.6, i64 <caught>
  %caught.1 = load ptr, ptr %p.17, align 8
  call void %caught.1(ptr %state, ptr %exception)
  %p.18 = getelementptr i8, ptr %state, i64 <state.table>
  %table.7 = load ptr, ptr %p.18, align 8
  %p.19 = getelementptr i8, ptr %table.7, i64 <cold_take_pending>
  %take_pending.1 = load ptr, ptr %p.19, align 8
  %r.4 = call preserve_mostcc i32 %take_pending.1()
  br label %fail.runtime
fail.python:
  ret ptr null
fail.runtime:
  %p.20 = getelementptr i8, ptr %state, i64 <state.table>
  %table.8 = load ptr, ptr %p.20, align 8
  %p.21 = getelementptr i8, ptr %table.8, i64 <cold_error_raise>
  %error_raise = load ptr, ptr %p.21, align 8
  call preserve_mostcc void %error_raise(ptr %state)
  ret ptr null
}
