// The files that a write makes beside its places and takes away again: how they are called, and whose they are.
// Internal to core/io.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace headscope {

// A name that no other file, thread or process uses: ".headscope-MACHINE-PROCESS-NUMBER-RANDOM.part". It does not hold
// the name of the file that it stands for, which may be as long as names can be. `kind` goes before ".part".
std::string part_name(std::string_view kind = "");

// The same beside `path`.
std::string temporary_beside(const std::string& path);

// So many files of one export are synced one by one, the rest all at once.
inline constexpr std::size_t kSyncedOneByOne = 8;

// "PATH: No space left on device", of an errno.
Error file_error(const std::string& path, int error);

// Whether a file of this name is left over: it was made on this machine, by a process that does not run any more.
bool is_left_over(std::string_view name);

// Whether a name is one that part_name() makes, in this folder and no other.
bool is_part_name(std::string_view name);

// The folder of a path; "." when it names none.
std::string folder_of(const std::string& path);

}  // namespace headscope
