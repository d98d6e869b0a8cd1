#include "tests/fuzz/reader_rows.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/request/problem.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/faults/readers.h"
#include "tests/fuzz/fuzz.h"

namespace headscope::fuzz {
namespace {

namespace fs = std::filesystem;

bool names(const char* words, std::string_view word) {
  return (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

// A row, and the folder in which its file lies.
class RowFolder {
 public:
  explicit RowFolder(const test::Reader& row) : row_(row), path_(folder_ / row.file) {
    const fs::path beside = fs::path(row.file).parent_path();
    fs::create_directories(folder_.path() / beside);
    if (row.beside == nullptr) return;
    for (const auto& [name, bytes] : row.beside()) folder_.write((beside / name).string(), bytes);
  }

  const char* name() const { return row_.name; }

  void read(std::string_view bytes) const {
    write(bytes);
    const std::optional<std::string> refusal = refused();
    if (!refusal) return;
    const bool named = refusal->find(fs::path(path_).filename().string()) != std::string::npos ||
                       (*row_.says != '\0' && refusal->find(row_.says) != std::string::npos);
    if (!named) std::fprintf(stderr, "%s: %s\n", row_.name, refusal->c_str());
    require(named, "a refusal names the file");
  }

 private:
  // Straight to the system: a stream costs more than most of the readers.
  void write(std::string_view bytes) const {
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool written = file >= 0 && ::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
    ::close(file);
    require(written, "there is room for the file");
  }

  std::optional<std::string> refused() const {
    try {
      row_.read(path_);
    } catch (const Error& error) {
      return error.what();
    } catch (const UsageError& error) {
      return error.what();
    } catch (const ProblemError& error) {
      return error.what();
    }
    return std::nullopt;
  }

  const test::Reader row_;
  const TemporaryFolder folder_;
  const std::string path_;
};

// In memory where that can be: the disk would take most of the time.
std::vector<std::unique_ptr<const RowFolder>> made_rows() {
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 1);
  std::vector<std::unique_ptr<const RowFolder>> rows;
  for (const test::Reader& row : test::readers()) {
    if (names(row.fuzz, kTarget)) rows.push_back(std::make_unique<const RowFolder>(row));
  }
  require(!rows.empty(), "some row of tests/faults/readers.h names this target");
  return rows;
}

const std::vector<std::unique_ptr<const RowFolder>>& rows() {
  static const auto all = made_rows();
  return all;
}

// The row that the first line names; any other line stands for one of them.
const RowFolder& row_of(std::string_view line) {
  for (const auto& row : rows()) {
    if (row->name() == line) return *row;
  }
  return *rows()[std::hash<std::string_view>()(line) % rows().size()];
}

}  // namespace
}  // namespace headscope::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope::fuzz;
  const std::string_view input = as_text(data, size);
  const std::size_t line = std::min(input.find('\n'), size);
  row_of(input.substr(0, line)).read(input.substr(std::min(line + 1, size)));
  return 0;
}

// Most changes are for the file; now and then another row gets it.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  using namespace headscope::fuzz;
  constexpr unsigned int kAnotherRow = 50;
  const std::string_view input = as_text(data, size);
  const std::size_t line = input.find('\n');
  if (line == input.npos || line + 1 >= most || seed % kAnotherRow == 0) {
    const std::string_view bytes = line == input.npos ? input : input.substr(line + 1);
    std::string other = std::string(rows()[seed / kAnotherRow % rows().size()]->name()) + "\n" + std::string(bytes);
    other.resize(std::min(other.size(), most));
    std::memcpy(data, other.data(), other.size());
    return other.size();
  }
  const std::size_t head = line + 1;
  return head + LLVMFuzzerMutate(data + head, size - head, most - head);
}
