// The folder in which a run happens: its home, its settings, the files that it drops on the window, what it exports.
// Nothing outside of it is written.
#pragma once

#include <string>
#include <vector>

#include "tests/app/session/temporary_folder.h"

namespace headscope::ui {

class Scratch {
 public:
  // Fills the folder, and sets HOME, XDG_* and PATH to it: no program of the desktop is found there, so that none is
  // started. Every run has the same files.
  Scratch();

  const std::string& folder() const { return folder_.path(); }
  // Of what is dropped and opened: good files of every kind, damaged ones, and one that is not there. As "@/NAME".
  const std::vector<std::string>& files() const { return files_; }
  // The text with the folder in the place of every "@" before a slash.
  std::string resolved(const std::string& text) const;
  std::string operator/(const std::string& name) const { return folder_ / name; }
  // Where the window writes when nobody says otherwise.
  std::string exports() const { return folder_ / "exports"; }
  // Removes what was exported.
  void tidy() const;
  // Whether a path lies in the folder, once its .. are resolved.
  bool holds(const std::string& path) const;

 private:
  void add(const std::string& name, const std::string& bytes);

  TemporaryFolder folder_;
  std::vector<std::string> files_;
  Environment home_, config_, state_, cache_, path_, display_, wayland_;
};

}  // namespace headscope::ui
