// What several files that appear together are about to do, written down before it is done: who comes after a process
// that was killed finishes it. Needs renames only, no hard links. Internal to core/io.
//
// While a journal stands, the new file of an entry is either under its temporary name or at its place, and never both;
// the old one is at its place until it is put aside. Whoever finds the journal of a process that is gone moves the rest
// to their places: everything is new. To undo, the new files go back to their temporary names first.
#pragma once

#include <string>
#include <vector>

namespace headscope {

// Names within one folder.
struct JournalEntry {
  std::string temporary;  // the new file, whole and synced
  std::string target;     // where it goes
  std::string backup;     // where the old file is put meanwhile
};

class FileJournal {
 public:
  // Writes and syncs the journal. Throws Error when it cannot be written.
  FileJournal(std::string folder, std::vector<JournalEntry> entries);

  // Takes the journal away, by which the entries count as done (or as undone). When even that is refused, false:
  // whoever comes later will finish.
  bool remove();

 private:
  std::string path_;
};

// In `folder`: finishes what journals of processes that are gone had begun, and removes the temporary files that such
// processes left there. What cannot be done stays for the next time; no error.
void finish_interrupted(const std::string& folder);

}  // namespace headscope
