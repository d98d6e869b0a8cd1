#include "app/session/saving_place.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "app/session/folder_listing.h"
#include "core/io/atomic_file.h"

namespace headscope {
namespace {

// More than what is left of a disk that calls itself full, and than a session needs.
constexpr std::size_t kTrialBytes = std::size_t{256} << 10;

bool takes_files(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return false;
  try {
    FilesTogether never_committed;
    never_committed.add((std::filesystem::path(folder) / "headscope-trial").string(),
                        [](std::ostream& out) { out << std::string(kTrialBytes, ' '); });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::vector<std::string> saving_places() {
  std::error_code error;
  std::vector<std::string> places = {default_export_folder(), home_folder(),
                                     std::filesystem::current_path(error).string(),
                                     std::filesystem::temp_directory_path(error).string()};
  std::vector<std::string> once;
  for (std::string& each : places) {
    if (!each.empty() && std::find(once.begin(), once.end(), each) == once.end()) once.push_back(std::move(each));
  }
  return once;
}

std::string first_that_takes_files(const std::vector<std::string>& folders) {
  const auto found = std::find_if(folders.begin(), folders.end(), takes_files);
  return found == folders.end() ? "" : *found;
}

}  // namespace headscope
