// Files that change while they are mapped: reading their lost pages must not end the program, and what was read from
// them must not be taken for the file's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headscope {

// While it lives, pages of [data, data + size) that the file has lost (SIGBUS) read as zeros, and check_mapped_files()
// says so. `data` begins on a page; `file` is a descriptor of the mapped file, which the guard closes. Where 4096
// mappings are guarded already, lost pages of this one end the program.
class MappingGuard {
 public:
  MappingGuard(const void* data, std::size_t size, std::string path, int file);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;
  // Throws Error when the file became shorter or was written to since it was mapped: what was read from it may be
  // neither the old nor the new file. It never becomes good again: the file has to be opened anew.
  void check() const;

 private:
  bool changed() const;

  std::uint64_t id_ = 0;           // no two of a process have the same
  mutable bool forgiven_ = false;  // behind the registry's lock: nothing was read from it, or it was read anew
  int slot_ = -1;
  int file_ = -1;
  std::string path_;
  std::size_t size_ = 0;
  struct Modified {
    long long seconds = 0;
    long nanoseconds = 0;
    bool operator==(const Modified&) const = default;
  } modified_;

  friend void check_mapped_files();
  friend class MappingChanges;
};

// Throws Error that names a mapped file that changed while it is in use (MappingGuard::check), or of which lost pages
// were read and which was closed since: results computed from it must be neither shown nor written. A file in use is
// named at every call; a closed one once. Whatever reads mapped files calls this after its work and before it
// publishes.
void check_mapped_files();

// Tells the files that change while something is computed from those that had changed before, which a result on screen
// may still hold: whoever opens their paths anew reads none of them.
class MappingChanges {
 public:
  MappingChanges();
  // Some file in use had changed when this was made: what was kept of files is to be read anew.
  bool any_before() const { return !before_.empty(); }
  // check_mapped_files() without the files that had changed before. Those are not named any more once they are closed.
  void check() const;

 private:
  std::vector<std::uint64_t> before_;  // ids, increasing
};

}  // namespace headscope
