// Several files onto an old export while the system refuses a call, or the process is killed at it: all files are the
// old ones or all the new ones, with hard links and without.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/io/file_journal.h"
#include "tests/core/io/io_helpers.h"
#include "tests/faults/failing_calls.h"

namespace headscope {
namespace {

using namespace test;
namespace fs = std::filesystem;

constexpr Call kCalls[] = {Call::rename, Call::link, Call::unlink, Call::fsync, Call::truncate, Call::open};

void write_set(const std::string& folder, const std::vector<std::string>& names, const std::string& text) {
  FilesTogether files;
  for (const std::string& name : names) {
    files.add(folder + "/" + name, [&](std::ostream& out) { out << text << ' ' << name; });
  }
  files.commit();
}

void write_old(const std::string& folder) {
  write_set(folder, {"a", "b", "manifest"}, "old");
}

// One file more than the old set has.
void write_new(const std::string& folder) {
  write_set(folder, {"a", "b", "c", "manifest"}, "new");
}

// "old", "new", or what is there.
std::string state_of(const IoFolder& folder) {
  std::string old, now, found;
  for (const char* name : {"a", "b", "c", "manifest"}) {
    const std::string text = fs::exists(folder.file(name)) ? read_bytes(folder.file(name)) : "";
    old += name == std::string("c") ? "|" : "old " + std::string(name) + "|";
    now += "new " + std::string(name) + "|";
    found += text + "|";
  }
  return found == old ? "old" : found == now ? "new" : found;
}

std::vector<std::string> parts_in(const IoFolder& folder) {
  std::vector<std::string> parts;
  for (const std::string& name : folder.names()) {
    if (name.starts_with(".headscope-")) parts.push_back(name);
  }
  return parts;
}

TEST(ExportFaults, ACallThatFailsLeavesTheOldFilesOrTheNewOnes) {
  for (const bool refused : {false, true}) {
    refuse_links(refused);
    for (const Call call : kCalls) {
      for (int number = 1;; ++number) {
        SCOPED_TRACE(testing::Message() << "call " << static_cast<int>(call) << ", number " << number
                                        << (refused ? ", without links" : ""));
        const IoFolder folder;
        write_old(folder.path());
        bool thrown = false;
        fail_call(call, number);
        try {
          write_new(folder.path());
        } catch (const Error&) {
          thrown = true;
        }
        const bool failed = has_failed();
        fail_call(call, 0);
        EXPECT_EQ(state_of(folder), thrown ? "old" : "new");
        write_new(folder.path());
        EXPECT_EQ(state_of(folder), "new") << "the next one goes as if nothing had been";
        if (!failed) break;
        ASSERT_LT(number, 100);
      }
    }
  }
  refuse_links(false);
}

// Ends as the process that writes the new set does: killed at that call, or not at all.
bool killed_at(Call call, int number, const std::string& folder) {
  const pid_t child = ::fork();
  if (child == 0) {
    fail_call(call, number, true);
    write_new(folder);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status);
}

TEST(ExportFaults, AfterAKillTheNextExportFindsTheOldFilesOrTheNewOnesAndNothingElse) {
  int finished = 0;
  for (const bool refused : {false, true}) {
    refuse_links(refused);
    for (const Call call : kCalls) {
      for (int number = 1;; ++number) {
        SCOPED_TRACE(testing::Message() << "call " << static_cast<int>(call) << ", number " << number
                                        << (refused ? ", without links" : ""));
        const IoFolder folder;
        write_old(folder.path());
        const bool killed = killed_at(call, number, folder.path());
        const std::string before = state_of(folder);
        finish_interrupted(folder.path());
        const std::string after = state_of(folder);
        EXPECT_TRUE(after == "old" || after == "new") << after;
        if (before != after) ++finished;
        EXPECT_EQ(parts_in(folder), std::vector<std::string>());
        if (!killed) break;
        ASSERT_LT(number, 100);
      }
    }
  }
  refuse_links(false);
  EXPECT_GT(finished, 4) << "kills between two files were among them";
}

TEST(ExportFaults, TheNextExportTakesAwayWhatAKilledOneLeft) {
  refuse_links(true);
  const IoFolder folder;
  write_old(folder.path());
  ASSERT_TRUE(killed_at(Call::rename, 3, folder.path()));
  EXPECT_FALSE(parts_in(folder).empty());
  write_file_atomically(folder.file("other"), [](std::ostream& out) { out << "x"; });
  refuse_links(false);
  EXPECT_EQ(parts_in(folder), std::vector<std::string>());
  EXPECT_EQ(state_of(folder), "new");
}

TEST(ExportFaults, AJournalThatIsNotOneMovesNothingOutOfTheFolder) {
  const IoFolder folder;
  write_bytes(folder.file("a"), "mine");
  fs::create_directory(folder.file("in"));
  const pid_t child = ::fork();
  if (child == 0) {
    const FileJournal journal(folder.file("in"), {{"../a", "b", "../c"}});
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  finish_interrupted(folder.file("in"));
  EXPECT_EQ(read_bytes(folder.file("a")), "mine");
  EXPECT_TRUE(fs::is_empty(folder.file("in")));
}

}  // namespace
}  // namespace headscope
