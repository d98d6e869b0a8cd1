#include "app/session/kept_file.h"

#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <system_error>

#include "core/base/memory_failures.h"
#include "core/io/atomic_file.h"
#include "core/io/mapped_file.h"

namespace headscope {

namespace {

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path, error)) && !error;
}

}  // namespace

void add_sentence(std::string& notice, const std::string& sentence) {
  if (!notice.empty()) notice += ' ';
  notice += sentence;
}

bool load_kept_file(const std::string& path, const std::function<void(const std::string&)>& parse, std::string& notice,
                    std::size_t most_bytes) {
  if (path.empty() || !exists(path)) return false;
  std::string text;
  try {
    text = read_small_file(path, most_bytes);
  } catch (const std::bad_alloc&) {
    throw;  // nothing is wrong with the file, which the defaults would replace
  } catch (const std::exception& error) {
    add_sentence(notice, std::string(error.what()) + "; the defaults are used.");
    return false;
  }
  try {
    parse(text);
    return true;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    const std::string seen = describe_bytes(std::as_bytes(std::span(text)));
    const std::string why = seen.empty() || seen == "JSON text" ? error.what() : "it is " + seen;
    const std::string aside = path + ".broken";
    std::error_code refused;
    std::filesystem::rename(path, aside, refused);
    add_sentence(notice, path + " could not be used (" + why + "); " +
                             (refused ? "it could not be moved aside either" : "it was put aside as " + aside) +
                             ", the defaults are used.");
    return false;
  }
}

std::string save_kept_files(const std::string& folder, const std::function<void()>& write) {
  if (folder.empty()) return "There is no home folder (HOME is not set), so nothing is remembered.";
  try {
    make_folder(folder);
    write();
    return "";
  } catch (const std::exception& error) {
    return failure_words(error);
  }
}

}  // namespace headscope
