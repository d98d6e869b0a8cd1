// Calls of the system that fail, or at which the process is killed, when a test asks for it: this program has its own
// rename(), link(), unlink(), fsync(), truncate() and open(), which the engine then uses.
#pragma once

namespace headscope::test {

enum class Call { rename, link, unlink, fsync, truncate, open };

// The `number`-th of these calls from now on (1: the next) fails with EIO; with `kills` the process ends by SIGKILL
// instead of calling. 0: none.
void fail_call(Call call, int number, bool kills = false);

// Every hard link is refused, as on FAT.
void refuse_links(bool refused);

// Whether the call of fail_call() has come.
bool has_failed();

}  // namespace headscope::test
