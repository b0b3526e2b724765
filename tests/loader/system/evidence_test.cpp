#include "loader/system/evidence.h"

#include <elf.h>
#include <sys/stat.h>

#include <filesystem>

#include "loader/system/candidate.h"
#include "loader/system/file_bytes.h"
#include "loader/system/host.h"
#include "loader/system/torch.h"
#include "tests/loader/system/memory_limit.h"
#include "tests/loader/system/reason_matchers.h"
#include "tests/loader/system/temporary_folder.h"

namespace myops::system {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::is_reason;
using ::testing::IsEmpty;
using testing::MemoryLimit;
using ::testing::Optional;
using testing::TemporaryFolder;

class ExaminerTest : public ::testing::Test {
 protected:
  rules::Evidence examine(const std::string& path, bool resolve_foreign = true) {
    return Examiner(host_, torch_, resolve_foreign).examine(candidate_at(path));
  }

  const rules::HostFacts host_ = read_host();
  std::optional<rules::TorchFacts> torch_ = choose_torch(TORCH_FOLDER)->torch;
};

TEST_F(ExaminerTest, ForeignLibraryIsResolved) {
  const rules::Evidence evidence = examine(TINY_LIBRARY);
  ASSERT_NE(evidence.elf, nullptr);
  EXPECT_FALSE(evidence.manifest);
  EXPECT_FALSE(evidence.manifest_error);
  EXPECT_TRUE(evidence.resolved);
  EXPECT_THAT(evidence.missing, IsEmpty());
}

TEST_F(ExaminerTest, NeedingLibraryNamesWhatIsMissing) {
  const rules::Evidence evidence = examine(NEEDING_LIBRARY);
  ASSERT_TRUE(evidence.resolved);
  ASSERT_EQ(evidence.missing.size(), 1u);
  EXPECT_EQ(evidence.missing[0].kind, link::MissingKind::kSymbol);
  EXPECT_EQ(evidence.missing[0].name, "myops_function_that_is_nowhere");
}

TEST_F(ExaminerTest, ForeignLibraryIsLeftAloneWhereNobodyAsks) {
  const rules::Evidence evidence = examine(NEEDING_LIBRARY, false);
  ASSERT_NE(evidence.elf, nullptr);
  EXPECT_FALSE(evidence.resolved);
}

TEST_F(ExaminerTest, WithoutTorchNothingIsResolved) {
  torch_.reset();
  EXPECT_FALSE(examine(TINY_LIBRARY).resolved);
}

TEST_F(ExaminerTest, LibraryForAnotherMachineIsIdentifiedOnly) {
  rules::HostFacts other = host_;
  other.arch = "aarch64";
  const rules::Evidence evidence = Examiner(other, torch_, true).examine(candidate_at(TINY_LIBRARY));
  ASSERT_NE(evidence.elf, nullptr);
  EXPECT_FALSE(evidence.resolved);
}

TEST_F(ExaminerTest, WhatAnotherMachineHasIsNotLookedUpOnThisOne) {
  const TemporaryFolder folder;
  const bool is_arm = host_.arch == "aarch64";
  std::string content = read_text(TINY_LIBRARY);
  content[18] = static_cast<char>(is_arm ? EM_X86_64 : EM_AARCH64);  // e_machine
  rules::HostFacts other = host_;
  other.arch = is_arm ? "x86_64" : "aarch64";
  const auto evidence = Examiner(other, torch_, true).examine(candidate_at(folder.write("libother.so", content)));
  ASSERT_NE(evidence.elf, nullptr);
  EXPECT_FALSE(evidence.resolved);
  EXPECT_THAT(evidence.notes, ElementsAre(HasSubstr("was not looked up")));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(ExaminerTest, FileThatThereIsNoMemoryForIsNotTheEndOfTheOthers) {
  Examiner examiner(host_, torch_, true);
  rules::Evidence large;
  {
    const MemoryLimit limit(std::size_t{4} << 20);
    large = examiner.examine(candidate_at(TORCH_FOLDER "/libtorch_cpu.so"));
  }
  EXPECT_THAT(large.elf_error, Optional(is_reason(Code::kUnreadable, TORCH_FOLDER "/libtorch_cpu.so", "a readable file",
                                                  "Cannot allocate memory")));
  EXPECT_FALSE(large.resolved);
  EXPECT_TRUE(examiner.examine(candidate_at(TINY_LIBRARY)).resolved);
}
#endif

TEST_F(ExaminerTest, TextFileIsNoLibrary) {
  const TemporaryFolder folder;
  const rules::Evidence evidence = examine(folder.write("libx.so", "INPUT(libx.so.1)\n"));
  EXPECT_EQ(evidence.elf, nullptr);
  ASSERT_TRUE(evidence.elf_error);
  EXPECT_EQ(evidence.elf_error->code, Code::kNotALibrary);
}

TEST_F(ExaminerTest, FileThatVanishedHasItsErrno) {
  const TemporaryFolder folder;
  const rules::CandidateFile candidate = candidate_at(folder.write("libx.so", "x"));
  std::filesystem::remove(candidate.path);
  const rules::Evidence evidence = Examiner(host_, torch_, true).examine(candidate);
  EXPECT_THAT(evidence.file.error,
              Optional(is_reason(Code::kUnreadable, candidate.path, "a readable file", "No such file or directory")));
}

TEST_F(ExaminerTest, FileThatWasReplacedIsJudgedAsWhatItIsNow) {
  const TemporaryFolder folder;
  const std::string path = folder.write("libx.so", "x");
  const rules::CandidateFile candidate = candidate_at(path);
  std::filesystem::copy_file(TINY_LIBRARY, path, std::filesystem::copy_options::overwrite_existing);
  const rules::Evidence evidence = Examiner(host_, torch_, true).examine(candidate);
  ASSERT_NE(evidence.elf, nullptr);
  EXPECT_EQ(evidence.file.size, std::filesystem::file_size(TINY_LIBRARY));
}

TEST_F(ExaminerTest, FolderStaysUnopened) {
  const TemporaryFolder folder;
  const rules::Evidence evidence = examine(folder.path());
  EXPECT_THAT(evidence.file.error,
              Optional(is_reason(Code::kNotALibrary, folder.path(), "an ELF shared object", "a folder")));
  EXPECT_EQ(evidence.elf, nullptr);
}

TEST_F(ExaminerTest, NothingIsOpenedByTheDynamicLinker) {
  ::unsetenv("MYOPS_TINY_WAS_OPENED");
  examine(TINY_LIBRARY);
  EXPECT_EQ(::getenv("MYOPS_TINY_WAS_OPENED"), nullptr);
}

}  // namespace
}  // namespace myops::system
