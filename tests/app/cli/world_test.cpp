// Full disks, closed pipes, folders that refuse: exit code 3, and nothing half-written is left.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/app/cli/command.h"

extern char** environ;

namespace headscope {
namespace {

const std::vector<std::string> kRun = {"run", "--model", "seeded", "--phrase", "a b", "--d-model", "8", "--heads", "2"};

std::vector<std::string> run_with(std::initializer_list<std::string> more) {
  std::vector<std::string> words = kRun;
  words.insert(words.end(), more);
  return words;
}

class World : public CommandTest {
 protected:
  // Every file below the folder, hidden ones too.
  std::vector<std::string> all_files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      if (!entry.is_directory()) names.push_back(entry.path().string());
    }
    return names;
  }
};

TEST_F(World, AFullDiskBehindStandardOutputIsSaid) {
  for (const std::vector<std::string>& words :
       {run_with({}), run_with({"--json"}), run_with({"--trace", "torch"}), std::vector<std::string>{"--help"},
        std::vector<std::string>{"--version"}}) {
    const Result result = run_cli(words, {folder_.path(), "/dev/full", {}});
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("headscope-cli: error: standard output: No space left on device"), std::string::npos)
        << result.err;
  }
}

TEST_F(World, AClosedStandardOutputIsSaidAndNoFileTakesItsPlace) {
  const Result result =
      run_cli(run_with({"--export", "weights", "--format", "npy", "--out", "o"}), {folder_.path(), "-", {}});
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_EQ(to_string(stage("o", "weights").shape()), "[1, 2, 2, 2]") << "what was written before is whole";
}

TEST_F(World, AReaderWhoLeftIsNoError) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const std::string pipe_path = "/proc/self/fd/" + std::to_string(ends[1]);
  // The child writes into a pipe that nobody reads.
  const std::string binary = std::string(HEADSCOPE_BINARY_DIR) + "/bin/headscope-cli";
  const std::string err = folder_ / "err";
  std::vector<std::string> words = run_with({"--json"});
  words.insert(words.begin(), binary);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT, 0644);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, binary.c_str(), &actions, nullptr, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(bytes_of(err), "");
}

TEST_F(World, AnOutputFolderThatIsAFileIsRefused) {
  folder_.write("taken", "a file");
  expect_refused(cli(run_with({"--out", "taken"})), 3, {"taken"});
  expect_refused(cli(run_with({"--out", "taken/below"})), 3, {"taken"});
  expect_refused(cli(run_with({"--out", "/dev/full"})), 3, {"/dev/full"});
  EXPECT_EQ(bytes_of(folder_ / "taken"), "a file");
  EXPECT_EQ(all_files().size(), 1u);
}

TEST_F(World, AFolderThatCannotBeWrittenIsRefused) {
  // /proc takes no files, whoever asks.
  expect_refused(cli(run_with({"--out", "/proc/self/task"})), 3, {"/proc/self/task"});
  if (geteuid() != 0) {
    std::filesystem::create_directory(folder_ / "locked");
    std::filesystem::permissions(folder_ / "locked",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    expect_refused(cli(run_with({"--out", "locked"})), 3, {"locked"});
    EXPECT_TRUE(std::filesystem::is_empty(folder_ / "locked"));
  }
}

TEST_F(World, AFileThatIsInTheWayLeavesNothingHalfWritten) {
  std::filesystem::create_directories(folder_ / "o/output.npy/full");
  folder_.write("o/output.npy/full/x", "stays");
  const Result result = cli(run_with({"--format", "npy", "--out", "o"}));
  expect_refused(result, 3, {"output.npy"});
  EXPECT_EQ(all_files(), std::vector<std::string>{folder_ / "o/output.npy/full/x"});
}

TEST_F(World, AFolderGivenAsAFileIsRefused) {
  for (const char* option : {"--input", "--weights", "--session", "--phrase-file"}) {
    std::vector<std::string> words = {"run", option, "."};
    if (std::string(option) == "--weights") words.insert(words.end(), {"--phrase", "a"});
    const Result result = cli(words);
    EXPECT_EQ(result.code, 3) << option << ": " << result.err;
  }
}

TEST_F(World, AFileThatGrowsPastItsLimitIsRefusedAndRemoved) {
  // The shell sets the limit (blocks of 512 or 1024 bytes) that a quota would.
  const std::string command = "ulimit -f 4; cd '" + folder_.path() + "' && '" + HEADSCOPE_BINARY_DIR +
                              "/bin/headscope-cli' run --phrase 'a b c d e f' --out o >/dev/null 2>&1";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
  EXPECT_TRUE(all_files().empty()) << all_files().front();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "o"));  // made for this run alone
}

class EndSignal : public World, public ::testing::WithParamInterface<int> {};

TEST_P(EndSignal, RemovesWhatWasBegun) {
  const std::string binary = std::string(HEADSCOPE_BINARY_DIR) + "/bin/headscope-cli";
  const std::string out = folder_ / "o";
  std::string phrase;
  for (int k = 0; k < 1500; ++k) phrase += "w" + std::to_string(k) + " ";
  std::vector<std::string> words = {binary, "run", "--model", "seeded", "--phrase", phrase, "--out", out};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  // A test that runs in the background of a shell would hand on that the signal is ignored.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, GetParam());
  posix_spawnattr_setsigdefault(&attributes, &interrupts);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, binary.c_str(), &actions, &attributes, argv.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  // As soon as the export has begun; a gigabyte of text takes longer than that.
  for (int k = 0; k < 5000 && !std::filesystem::exists(out); ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  kill(child, GetParam());
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 128 + GetParam()) << status;
  EXPECT_TRUE(all_files().empty()) << all_files().front();
}

INSTANTIATE_TEST_SUITE_P(Signals, EndSignal, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace headscope
