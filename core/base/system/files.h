// Files as the system has them: what POSIX and Windows do in different ways, in the same words. Paths are UTF-8. What
// is refused is said by errno, as POSIX says it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headscope::system {

enum class EntryKind { regular, folder, pipe, other };  // other: a device, a socket, a link that is not followed

struct EntryFacts {
  EntryKind kind = EntryKind::other;
  std::uint64_t size = 0;
  std::int64_t seconds = 0;  // when it was written to last, since 1970
  std::int64_t nanoseconds = 0;
  unsigned mode = 0;    // who may do what: the lowest nine bits of POSIX
  bool is_ours = true;  // of this user
  // By which the system tells files apart, under whatever names: two that are there at once differ in one of them. 0
  // and 0 where it does not say.
  std::uint64_t device = 0, number = 0;
};

// Of what a path leads to; of the entry itself, also where that is a link; of an open file. nullopt and errno when
// there is none.
std::optional<EntryFacts> facts_of(const std::string& path);
std::optional<EntryFacts> facts_of_entry(const std::string& path);
std::optional<EntryFacts> facts_of(int descriptor);

enum class Opening {
  read,
  read_at_once,    // does not wait for the writer of a pipe; see wait_again()
  create,          // to write; refused when the file is there
  write_at_once,   // what is there; does not wait for the reader of a pipe
  create_or_keep,  // to read and write
};
// A descriptor that no program inherits that this one starts, or -1 and errno. On Windows others may rename and remove
// the file meanwhile, and EISDIR says that it is a folder.
int open_file(const std::string& path, Opening how) noexcept;
// Reading and writing may wait from now on.
void wait_again(int descriptor) noexcept;
// 0, or errno: network file systems report a full disk only here.
int close_file(int descriptor) noexcept;
// How many bytes, 0 at the end of the file, -1 and errno. A signal may interrupt it (EINTR).
std::ptrdiff_t read_some(int descriptor, void* to, std::size_t size) noexcept;
std::ptrdiff_t write_some(int descriptor, const void* from, std::size_t size) noexcept;
bool to_beginning(int descriptor) noexcept;
void set_mode(int descriptor, unsigned mode) noexcept;

// Writes to the disk what was written to a file. 0, or errno; where the file system cannot, 0.
int sync_file(int descriptor) noexcept;
// The same of a file and, where this says true, of everything else on its file system.
bool syncs_whole_file_systems() noexcept;
int sync_file_system_of(int descriptor) noexcept;
// Renames and removals last only when their folder is written, too. Some file systems cannot sync a folder: no error.
void sync_folder(const std::string& folder) noexcept;

// False and errno when refused.
bool may_write(const std::string& path) noexcept;
bool may_run(const std::string& path) noexcept;
bool rename_file(const std::string& from, const std::string& to) noexcept;  // `to` is replaced
bool link_file(const std::string& from, const std::string& to) noexcept;    // a second name
bool remove_file(const std::string& path) noexcept;
bool empty_file(const std::string& path) noexcept;
// False when another program holds the lock of the file, which ends with the descriptor.
bool lock_file(int descriptor) noexcept;

// Whether a name leads out of the folder that it is looked up in.
bool leads_elsewhere(std::string_view name) noexcept;

// A file without a name, to write and read, whose bytes go with its descriptor; -1 and errno. `name` is what tools
// show.
int unnamed_file(const char* name) noexcept;
// A path under which these bytes can be opened while the program runs, by libraries that want one; "" when refused.
std::string path_of_bytes(const char* name, std::span<const char> bytes);

}  // namespace headscope::system
