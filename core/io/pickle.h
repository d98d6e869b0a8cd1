// Python pickles as data: the opcodes of protocols 2 to 5 that make numbers, texts, tuples, lists and dictionaries, and
// those names of functions that the reader lists. Nothing is imported, called or executed: a call is kept as the name
// and its arguments. The opcodes: Lib/pickletools.py of CPython, PEP 307 and PEP 3154.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/io/pickle_value.h"

namespace headscope {

// The pickle at the start of `bytes`, which must outlive it and may go on behind it. The pickle is not trusted: at most
// 4,000,000 values and 100,000 on its stack. Throws Error, which begins with `what`, and names the opcode or the name
// that is not among those above or in `globals`.
Pickle parse_pickle(std::span<const std::byte> bytes, std::span<const PickleGlobal> globals, const std::string& what);

}  // namespace headscope
