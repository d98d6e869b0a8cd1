// Every reader of readers.h, and every way in which a file can be wrong: the reader refuses it with a sentence that
// names the file, or reads it whole; it never ends the program, never waits and never takes much memory.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/base/error.h"
#include "core/request/problem.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/faults/counted_memory.h"
#include "tests/faults/json_traps.h"
#include "tests/faults/readers.h"
#include "tests/faults/wrong_kinds.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMemory = std::size_t{64} << 20;  // files are some kilobytes large
constexpr unsigned kPatience = 240;                         // seconds, for thousands of reads
constexpr int kMostShown = 5;                               // of the failures of a row

std::string at_work;

extern "C" void on_alarm(int) {
  for (const char* part : {"no end of reading: ", at_work.c_str(), "\n"}) {
    if (::write(2, part, std::strlen(part)) < 0) break;
  }
  ::_exit(1);
}

struct Outcome {
  std::optional<std::string> text;  // what was read; nullopt: it was refused
  std::string refusal;
  std::string wrong;  // "": read or refused as it should be
};

class EveryReader : public testing::TestWithParam<Reader> {
 protected:
  EveryReader() {
    for (const auto& [name, bytes] : reader.beside == nullptr ? Files{} : reader.beside()) {
      folder.write((fs::path(reader.file).parent_path() / name).string(), bytes);
    }
    write(small);
    whole = read("the whole file");
    at_work = reader.name;
    ::signal(SIGALRM, on_alarm);
    ::alarm(kPatience);
  }
  ~EveryReader() override { ::alarm(0); }

  using Files = std::vector<std::pair<std::string, std::string>>;

  // A last file may have been put aside by its reader.
  void write(const std::string& bytes) {
    clear();
    folder.write(reader.file, bytes);
  }

  void clear() const {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }

  bool says_instead(const std::string& sentence) const {
    return *reader.says != '\0' && sentence.find(reader.says) != std::string::npos;
  }

  bool names_the_file(const std::string& sentence) const {
    return says_instead(sentence) || sentence.find(fs::path(reader.file).filename().string()) != std::string::npos;
  }

  Outcome read(const std::string& what) {
    at_work = std::string(reader.name) + ", " + what;
    Outcome outcome;
    const std::size_t before = bytes_asked_for();
    try {
      outcome.text = reader.read(path);
    } catch (const Error& error) {
      outcome.refusal = error.what();
    } catch (const UsageError& error) {
      outcome.refusal = error.what();
    } catch (const ProblemError& error) {
      outcome.refusal = error.what();
    } catch (const std::exception& other) {
      outcome.wrong = std::string("another exception: ") + other.what();
      return outcome;
    }
    const std::size_t taken = bytes_asked_for() - before;
    if (taken > kMostMemory) outcome.wrong = "takes " + std::to_string(taken) + " bytes of memory";
    if (!outcome.text && !names_the_file(outcome.refusal)) outcome.wrong = "does not name the file: " + outcome.refusal;
    return outcome;
  }

  void report(const std::string& what, const std::string& wrong) {
    if (wrong.empty()) return;
    if (++failures <= kMostShown) ADD_FAILURE() << reader.name << ", " << what << ": " << wrong;
  }

  static std::string shown(const Outcome& outcome) {
    return outcome.text ? "read as " + outcome.text->substr(0, 300) : "refused: " + outcome.refusal;
  }

  const Reader reader = GetParam();
  const TemporaryFolder folder;
  const std::string small = reader.small();
  const std::string path = folder / reader.file;
  Outcome whole;
  int failures = 0;
};

TEST_P(EveryReader, ReadsTheWholeFile) {
  EXPECT_TRUE(whole.text) << shown(whole);
  EXPECT_EQ(whole.wrong, "");
}

TEST_P(EveryReader, RefusesWhatIsCutShort) {
  int unseen = 0;
  for (std::size_t size = 0; size < small.size(); ++size) {
    write(small.substr(0, size));
    const std::string what = "cut to " + std::to_string(size) + " of " + std::to_string(small.size()) + " bytes";
    const Outcome cut = read(what);
    report(what, cut.wrong);
    if (!cut.text || cut.text == whole.text) continue;
    ++unseen;
    if (*reader.cut_unseen == '\0') report(what, shown(cut));
  }
  if (*reader.cut_unseen != '\0' && unseen == 0) report("all cuts", "every one is seen; drop the reason");
}

TEST_P(EveryReader, SurvivesAChangeOfEveryByte) {
  for (std::size_t at = 0; at < small.size(); ++at) {
    for (const int change : {0x01, 0x80, 0x00, 0xff}) {
      std::string bytes = small;
      const bool flips = change == 0x01 || change == 0x80;
      const char now = static_cast<char>(flips ? bytes[at] ^ change : change);
      bytes[at] = now != small[at] ? now : static_cast<char>(bytes[at] ^ 0x55);
      write(bytes);
      const std::string what = "byte " + std::to_string(at) + " changed";
      report(what, read(what).wrong);
    }
  }
}

TEST_P(EveryReader, FallsIntoNoTrapOfJson) {
  if (reader.of_json == nullptr) return;
  ASSERT_EQ(reader.of_json(reader.small_json()), small) << "the traps are made of another file";
  int passed = 0;
  for (const JsonTrap& trap : json_traps(reader.small_json())) {
    write(reader.of_json(trap.text));
    const Outcome outcome = read(trap.name);
    report(trap.name, outcome.wrong);
    if (trap.of_python && reader.python_numbers && !outcome.text) report(trap.name, shown(outcome));
    if (!outcome.text || (trap.of_python && reader.python_numbers)) continue;
    const bool passed_over = trap.passed_over && *reader.passes_over != '\0';
    passed += passed_over ? 1 : 0;
    if (!passed_over) report(trap.name, shown(outcome));
  }
  if (*reader.passes_over != '\0' && passed == 0) report("all traps", "none is passed over; drop the reason");
}

bool is_among(const std::string& names, const std::string& name) {
  return (" " + names + " ").find(" " + name + " ") != std::string::npos;
}

TEST_P(EveryReader, SaysWhatAnotherKindOfFileIs) {
  for (const WrongKind& kind : wrong_kinds()) {
    clear();
    if (kind.folder) {
      fs::create_directories(path);
    } else {
      write(kind.bytes);
    }
    const Outcome outcome = read(kind.name);
    report(kind.name, outcome.wrong);
    const bool its_own = is_among(reader.reads, kind.name) || (is_among(reader.reads, "all") && !kind.folder);
    if (outcome.text && !its_own && !(kind.text && *reader.any_text != '\0')) report(kind.name, shown(outcome));
    const bool told = outcome.text || its_own || says_instead(outcome.refusal) ||
                      outcome.refusal.find(kind.said) != std::string::npos;
    if (!told) report(kind.name, "does not say '" + std::string(kind.said) + "': " + outcome.refusal);
  }
}

TEST_P(EveryReader, RefusesDevicesLoopsAndWhatIsNotThere) {
  const auto refuses = [&](const std::string& what) {
    const Outcome outcome = read(what);
    report(what, outcome.wrong);
    if (outcome.text && *reader.may_be_missing == '\0') report(what, shown(outcome));
  };
  for (const char* device : {"/dev/zero", "/dev/full", "/dev/null", "/dev/tty", "/proc/self/mem"}) {
    clear();
    fs::create_symlink(device, path);
    refuses(device);
  }
  clear();
  fs::create_symlink(path, path);
  refuses("a link to itself");
  clear();
  fs::create_symlink(path + ".none", path);
  refuses("a link to nothing");
}

TEST_P(EveryReader, DoesNotWaitForAPipe) {
  clear();
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Outcome outcome = read("a pipe without a writer");
  report("a pipe", outcome.wrong);
  const bool may_be_empty = *reader.any_text != '\0' || is_among(reader.reads, "empty");
  if (outcome.text && !may_be_empty && *reader.may_be_missing == '\0') report("a pipe", shown(outcome));
}

TEST_P(EveryReader, RefusesWhatMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
  write(small);
  fs::permissions(path, fs::perms::none);
  const Outcome outcome = read("a file without permission");
  report("a file without permission", outcome.wrong);
  EXPECT_FALSE(outcome.text);
  EXPECT_NE(outcome.refusal.find("Permission denied"), std::string::npos) << outcome.refusal;
}

// Their size is 0, and they hold something all the same.
TEST_P(EveryReader, TakesNoFileOfProcForAnEmptyOne) {
  write("");
  const Outcome empty = read("an empty file");
  clear();
  fs::create_symlink("/proc/self/status", path);
  const Outcome outcome = read("/proc/self/status");
  report("/proc/self/status", outcome.wrong);
  if (outcome.text) {
    EXPECT_NE(*reader.any_text, '\0') << shown(outcome);
    EXPECT_NE(outcome.text, empty.text) << "taken for an empty file";
  }
  EXPECT_EQ(outcome.refusal.find("empty"), std::string::npos) << outcome.refusal;
}

INSTANTIATE_TEST_SUITE_P(Readers, EveryReader, testing::ValuesIn(readers()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace headscope::test
