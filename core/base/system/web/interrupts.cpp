#include "core/base/system/interrupts.h"

namespace headscope::system {

// Nobody sends a page a signal, and the browser says why a page has stopped.
void on_interrupt(void (*)(int)) noexcept {}

void make_refused_writes_errors() noexcept {}

void on_crash(void (*)() noexcept) noexcept {}

}  // namespace headscope::system
