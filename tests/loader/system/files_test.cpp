#include "loader/system/files.h"

#include <sys/fsuid.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <thread>

#include "loader/system/evidence.h"
#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using testing::is_reason;
using ::testing::IsEmpty;
using ::testing::Optional;
using testing::TemporaryFolder;

// Folders that the user named.
SearchPath named(const std::vector<std::string>& paths) {
  SearchPath search;
  for (const std::string& path : paths) search.entries.push_back({path, "paths"});
  return search;
}

std::vector<std::string> paths_of(const Gathered& gathered) {
  std::vector<std::string> paths;
  for (const auto& file : gathered.files) paths.push_back(file.path);
  return paths;
}

TEST(Gather, TakesLibrariesByNameInOrderOfNames) {
  const TemporaryFolder folder;
  for (const char* name : {"libb.so", "liba.so", "libc.so.1", "README", "a.so", ".#libd.so", "liblib", "lib.so"})
    folder.write(name, "x");
  folder.write("below/libe.so", "x");
  const Gathered gathered = gather(named({folder.path()}), "");
  EXPECT_THAT(paths_of(gathered), ElementsAre(folder / "liba.so", folder / "libb.so"));
  EXPECT_THAT(gathered.folders, ElementsAre(folder.path()));
  EXPECT_THAT(gathered.notes, IsEmpty());
  EXPECT_EQ(gathered.files[0].folder, folder.path());
  EXPECT_EQ(gathered.files[0].real_path, folder / "liba.so");
  EXPECT_FALSE(gathered.files[0].error);
}

TEST(Gather, SearchesTheFolderOfTheTorchAfterTheFolderItself) {
  const TemporaryFolder folder;
  folder.write("libz.so", "x");
  folder.write("torch-2.15/liba.so", "x");
  folder.write("torch-2.11/libb.so", "x");
  const Gathered gathered = gather(named({folder.path()}), "2.15");
  EXPECT_THAT(paths_of(gathered), ElementsAre(folder / "libz.so", folder / "torch-2.15/liba.so"));
  EXPECT_THAT(gathered.folders, ElementsAre(folder.path(), folder / "torch-2.15"));
  EXPECT_THAT(paths_of(gather(named({folder.path()}), "")), ElementsAre(folder / "libz.so"));
}

TEST(Gather, TellsOfLibrariesForOtherTorchesOnly) {
  const TemporaryFolder folder;
  folder.write("torch-2.11/liba.so", "x");
  folder.write("torch-2.9/liba.so", "x");
  const Gathered gathered = gather(named({folder.path()}), "2.15");
  EXPECT_THAT(gathered.doubts, ElementsAre(folder.path() + " has torch-2.11, torch-2.9 and no torch-2.15: its "
                                                           "libraries are for other releases of torch than this"));
  EXPECT_THAT(gather(named({folder.path()}), "2.11").doubts, IsEmpty());
  EXPECT_THAT(gather(named({folder.path()}), "").doubts, IsEmpty()) << "there is no torch";
  folder.write("libb.so", "x");
  EXPECT_THAT(gather(named({folder.path()}), "2.15").doubts, IsEmpty()) << "they may be for any";
}

TEST(Gather, KeepsTheOrderOfTheSearchPath) {
  const TemporaryFolder folder;
  folder.write("a/libx.so", "x");
  folder.write("b/liba.so", "x");
  EXPECT_THAT(paths_of(gather(named({folder / "b", folder / "a"}), "")),
              ElementsAre(folder / "b/liba.so", folder / "a/libx.so"));
}

TEST(Gather, SearchesAFolderOnceHoweverItIsSpelt) {
  const TemporaryFolder folder;
  folder.write("p/liba.so", "x");
  const std::string link = folder.link("p", "link-to-p");
  const Gathered gathered = gather(named({folder / "p", folder / "p/.", folder / "p//", link}), "");
  EXPECT_THAT(paths_of(gathered), ElementsAre(folder / "p/liba.so"));
  EXPECT_THAT(gathered.folders, ElementsAre(folder / "p"));
  EXPECT_THAT(gathered.notes, IsEmpty());
}

TEST(Gather, TellsOfAnAbsentFolderOnce) {
  const TemporaryFolder folder;
  folder.write("p/liba.so", "x");
  const Gathered gathered = gather(named({folder / "p", folder / "p"}), "2.15");
  EXPECT_THAT(gathered.folders, ElementsAre(folder / "p", folder / "p/torch-2.15"));
}

TEST(Gather, FollowsLinksAndShowsBothPaths) {
  const TemporaryFolder folder;
  const std::string real = folder.write("elsewhere/x.so", "x");
  folder.make_folder("p");
  folder.link(real, "p/liba.so");
  folder.link("p", "link-to-p");
  const Gathered gathered = gather(named({folder / "link-to-p"}), "");
  ASSERT_EQ(gathered.files.size(), 1u);
  EXPECT_EQ(gathered.files[0].path, folder / "link-to-p/liba.so");
  EXPECT_EQ(gathered.files[0].real_path, real);
  EXPECT_FALSE(gathered.files[0].error);
}

TEST(Gather, DanglingLinksAndLoopsAreNotes) {
  const TemporaryFolder folder;
  folder.link("gone.so", "libmyops_gone.so");
  folder.link("libloop.so", "libloop.so");
  folder.link("nobody@host.1", ".#libmyops_cpu.so");
  folder.write("libmyops_ok.so", "x");
  const Gathered gathered = gather(named({folder.path()}), "");
  EXPECT_THAT(paths_of(gathered), ElementsAre(folder / "libmyops_ok.so"));
  EXPECT_THAT(
      gathered.notes,
      ElementsAre(
          is_reason(Code::kUnreadable, folder / "libloop.so", "a link to a file", "Too many levels of symbolic links"),
          is_reason(Code::kUnreadable, folder / "libmyops_gone.so", "a link to a file", "No such file or directory")));
}

TEST(Gather, UnusableEntriesGiveOneNoteEachAndTheRestIsSearched) {
  const TemporaryFolder folder;
  folder.write("good/liba.so", "x");
  const Gathered gathered = gather(named({folder / "missing", folder / "good"}), "2.15");
  EXPECT_THAT(paths_of(gathered), ElementsAre(folder / "good/liba.so"));
  EXPECT_THAT(gathered.notes, ElementsAre(is_reason(Code::kUnreadable, folder / "missing", "a readable folder",
                                                    "No such file or directory")));
}

TEST(Gather, DefaultFoldersMayBeAbsent) {
  SearchPath search;
  search.entries = {{"/no/such/folder", ""}};
  const Gathered gathered = gather(search, "2.15");
  EXPECT_THAT(gathered.notes, IsEmpty());
  EXPECT_THAT(gathered.folders, ElementsAre("/no/such/folder", "/no/such/folder/torch-2.15"));
}

TEST(Gather, TakesAFileThatIsNamedWhateverItsName) {
  const TemporaryFolder folder;
  const std::string path = folder.write("extension.bin", "x");
  const Gathered gathered = gather(named({path}), "2.15");
  EXPECT_THAT(paths_of(gathered), ElementsAre(path));
  EXPECT_EQ(gathered.files[0].folder, folder.path());
}

TEST(Gather, FoldersAndFifosNamedLikeLibrariesAreRefusedUnopened) {
  const TemporaryFolder folder;
  folder.make_folder("libx.so");
  ASSERT_EQ(::mkfifo((folder / "liby.so").c_str(), 0600), 0);
  const Gathered gathered = gather(named({folder.path()}), "");
  ASSERT_EQ(gathered.files.size(), 2u);
  EXPECT_THAT(gathered.files[0].error,
              Optional(is_reason(Code::kNotALibrary, folder / "libx.so", "an ELF shared object", "a folder")));
  EXPECT_THAT(gathered.files[1].error,
              Optional(is_reason(Code::kNotALibrary, folder / "liby.so", "an ELF shared object", "a FIFO")));
}

// Runs `work` without root's right to read everything; user ids of the file system are kept per thread.
template <class Work>
void as_nobody(Work work) {
  std::thread([&] {
    if (::geteuid() == 0) ::setfsuid(65534);
    work();
  }).join();
}

TEST(Gather, LinkIntoALockedFolderIsListedWithItsErrnoAndTheRestIsFound) {
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  folder.write("LOCKED/x.so", "x");
  folder.write("liba.so", "x");
  folder.write("libz.so", "x");
  folder.link("LOCKED/x.so", "libmyops_x.so");
  ASSERT_EQ(::chmod((folder / "LOCKED").c_str(), 0), 0);
  as_nobody([&] {
    const Gathered gathered = gather(named({folder.path(), folder / "LOCKED"}), "2.15");
    EXPECT_THAT(paths_of(gathered), ElementsAre(folder / "liba.so", folder / "libmyops_x.so", folder / "libz.so"));
    EXPECT_THAT(gathered.files[1].error, Optional(is_reason(Code::kUnreadable, folder / "libmyops_x.so",
                                                            "a readable file", "Permission denied")));
    EXPECT_THAT(gathered.notes,
                ElementsAre(is_reason(Code::kUnreadable, folder / "LOCKED", "a readable folder", "Permission denied")));
  });
}

TEST(Gather, FolderThatCanBeListedButNotSearchedGivesAReasonForEachFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  folder.write("listed/liba.so", "x");
  folder.write("next/libb.so", "x");
  ASSERT_EQ(::chmod((folder / "listed").c_str(), 0444), 0);
  as_nobody([&] {
    const Gathered gathered = gather(named({folder / "listed", folder / "next"}), "");
    EXPECT_THAT(paths_of(gathered), ElementsAre(folder / "listed/liba.so", folder / "next/libb.so"));
    ASSERT_EQ(gathered.files.size(), 2u);
    EXPECT_FALSE(gathered.files[1].error);
    // By readdir(3) it is a plain file, so that the one who opens it comes upon that.
    const auto examined = Examiner({}, std::nullopt, false).examine(gathered.files[0]);
    EXPECT_THAT(examined.file.error, Optional(is_reason(Code::kUnreadable, folder / "listed/liba.so", "a readable file",
                                                        "Permission denied")));
  });
}

TEST(Gather, TellsWhoElseCanReplaceTheFile) {
  const TemporaryFolder folder;
  folder.write("open/liba.so", "x");
  folder.make_folder("tidy");
  folder.link("../open/liba.so", "tidy/libb.so");
  ASSERT_EQ(::chmod((folder / "open").c_str(), 0777), 0);
  const Gathered gathered = gather(named({folder / "open", folder / "tidy"}), "");
  ASSERT_EQ(gathered.files.size(), 2u);
  for (const auto& file : gathered.files) {
    EXPECT_THAT(*file.way, Contains(Field("path", &rules::FolderStatus::path, folder / "open"))) << file.path;
  }
}

// Of this thread: what a busy machine takes away does not count.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

TEST(Gather, TwentyThousandFilesTakeLittleTime) {
  const TemporaryFolder folder;
  for (int i = 0; i < 10'000; ++i) {
    folder.write("file" + std::to_string(i) + ".so", "x");
    folder.write("libnotours" + std::to_string(i) + ".so", "x");
  }
  const double start = processor_seconds();
  const Gathered gathered = gather(named({folder.path()}), "2.15");
  const double taken = processor_seconds() - start;
  EXPECT_EQ(gathered.files.size(), 10'000u);
  std::cout << "20,000 files, of which 10,000 candidates: " << 1'000 * taken << " ms of processor time\n";
  EXPECT_LT(taken, 0.2);
}

}  // namespace
}  // namespace myops::system
