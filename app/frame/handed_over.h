// The files that other programs hand over to a window (--listen), in a folder that carries a mark of this program: only
// what carries it is ever removed.
#pragma once

#include <cstdint>
#include <string>

namespace headscope {

// The file in such a folder that says whose it is: "headscope MACHINE PROCESS".
inline constexpr const char* kHandedOverMark = ".headscope-handed-over";

class HandedOver {
 public:
  // Beside `socket`; nothing is made yet.
  explicit HandedOver(const std::string& socket);
  // Removes its files, and the folder where nothing else lies in it.
  ~HandedOver();
  HandedOver(const HandedOver&) = delete;
  HandedOver& operator=(const HandedOver&) = delete;

  // The path of a file for what has this number: SOCKET.PROCESS/shown-3.json. Makes the folder with its mark before the
  // first; one that is there already is somebody else's, and stays as it is. Throws Error when it cannot be made.
  std::string path_of(std::int64_t number, const std::string& ending);

 private:
  void make_folder_of_its_own();
  const std::string beside_;  // SOCKET.
  std::string folder_;        // "" before the first file
};

// Removes what windows that listened at `socket` left when they were killed: folders SOCKET.* of this user that only he
// may use (mode 0700), whose mark names a process of this machine that does not run any more. Of them the files that
// were handed over, the mark, and the folder where nothing else lies in it; never a folder in it.
void remove_left_folders(const std::string& socket);

}  // namespace headscope
