// headscope-cli: the engine without a window. Exit codes: contract, 'Exit codes'.
#include <csignal>
#include <new>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/memory/allocation_guard.h"
#include "app/memory/end_without_memory.h"
#include "core/base/error.h"
#include "core/base/memory_failures.h"
#include "core/base/standard_streams.h"
#include "core/base/system/interrupts.h"
#include "core/base/system/machine.h"
#include "core/io/mapping_guard.h"
#include "core/request/problem.h"

namespace {

using namespace headscope;

// The signal that ended the work; 0: none.
volatile std::sig_atomic_t ending_signal = 0;

// The one that Ctrl+C sets: what was begun is removed again before the program ends. It is never destroyed, for a
// signal may come while what is static ends.
CancelToken& interrupt_token() {
  static CancelToken& token = *new CancelToken;
  return token;
}

void interrupt(int signal_number) {
  ending_signal = signal_number;
  interrupt_token().cancel();
}

int failed(int code, const std::string& sentence) {
  cli::print_error(sentence);
  return code;
}

int out_of_memory() {
  say_memory_is_missing();
  return 3;
}

int run_and_say(const std::vector<std::string>& words) {
  try {
    cli::run_command_line(words, interrupt_token());
    check_mapped_files();
    check_memory();
    return 0;
  } catch (const cli::ReaderLeft&) {
    return 0;
  } catch (const cli::CheckFailed&) {
    return 4;
  } catch (const Cancelled&) {
    return failed(128 + (ending_signal == 0 ? SIGINT : ending_signal), "interrupted; nothing was left half-written");
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& error) {
    // A library that had no memory may have said something else.
    if (failed_allocations() > 0) return out_of_memory();
    if (dynamic_cast<const ProblemError*>(&error) != nullptr) return failed(2, error.what());
    if (dynamic_cast<const UsageError*>(&error) != nullptr) return failed(2, error.what());
    if (dynamic_cast<const Error*>(&error) != nullptr) return failed(3, error.what());
    return failed(1, std::string("this is a bug of Headscope, please report it: ") + error.what());
  }
}

int run_arguments(int argc, char** argv) {
  try {
    return run_and_say(system::command_words(argc, argv));
  } catch (const std::exception&) {
    return out_of_memory();  // not even for a sentence
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  keep_memory_reserve();
  end_politely_without_memory("headscope-cli: error: ");
  system::make_refused_writes_errors();
  interrupt_token();
  system::on_interrupt(interrupt);
  return run_arguments(argc, argv);
}
