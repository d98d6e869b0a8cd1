// What targets named *_files share: an input is "ROW newline BYTES", and the row of tests/faults/readers.h of that name
// reads a file that holds the bytes. Such a target is one line, its own name; rows say which targets give them files.
#pragma once

namespace headscope::fuzz {

extern const char* const kTarget;

}  // namespace headscope::fuzz
