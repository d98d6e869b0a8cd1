// Tells of the end of a program that a bug has ended.
#pragma once

#include <string>

namespace headscope {

// From now on SIGSEGV, SIGABRT, SIGBUS, SIGFPE and SIGILL write `path`, unless memory was missing, before they do what
// they did before this call:
// the version, the time, the signal, the last commands and a backtrace, as plain text without phrases. An empty `path`
// writes nothing. Call it once, before files are mapped (core/io/mapping_guard.h hands on what is none of its own).
void install_crash_handler(const std::string& path);

}  // namespace headscope
