#include "import/slices/stack.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ht_stack_remark(ht_stack *stack, const char *format, ...) {
  size_t used = strlen(stack->remark);
  va_list arguments;
  if (used && used + 3 < sizeof stack->remark)
    used += (size_t)snprintf(stack->remark + used, sizeof stack->remark - used, "; ");
  va_start(arguments, format);
  vsnprintf(stack->remark + used, sizeof stack->remark - used, format, arguments);
  va_end(arguments);
}
