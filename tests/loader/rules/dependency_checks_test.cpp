#include <gmock/gmock.h>

#include "tests/loader/rules/samples.h"
#include "tests/support/reason_matchers.h"

namespace myops::rules {
namespace {

using link::Missing;
using link::MissingKind;
using myops::testing::IsReasonAbout;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Verdict verdict_with(const Missing& missing, const Manifest& manifest = samples::schema_manifest()) {
  Evidence evidence = samples::evidence(manifest);
  evidence.missing = {missing};
  return samples::judged(evidence);
}

// Cases 21 and 30.
TEST(DependencyChecks, NamesALibraryThatIsNowhereAndWhereItWasLookedFor) {
  const Missing missing = {MissingKind::kLibrary, "libcudart.so.12", "", "/p/libmyops_schema.so", "", {"/p", "/lib"}};
  const Verdict verdict = verdict_with(missing);
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReasonAbout("libcudart.so.12", Code::kDependencyMissing, "", "/p, /lib")));
  EXPECT_THAT(to_text(verdict.reasons[0]), HasSubstr("needs libcudart.so.12, not found in /p, /lib"));
  EXPECT_EQ(verdict.loads, false);
  EXPECT_EQ(verdict.kind, VerdictKind::kRejected);
}

TEST(DependencyChecks, NamesTheLibraryInBetween) {
  const Missing missing = {MissingKind::kLibrary, "libx.so.1", "", "/q/libhelper.so", "", {}};
  EXPECT_THAT(verdict_with(missing).reasons,
              ElementsAre(IsReasonAbout("libx.so.1", Code::kDependencyMissing, "/q/libhelper.so", "")));
}

TEST(DependencyChecks, SaysWhatStandsInTheWayOfALibraryThatIsThere) {
  Missing missing = {MissingKind::kLibrary, "libx.so.1", "", "", "", {"/p"}};
  missing.found = "/p/libx.so.1: truncated";
  const Verdict verdict = verdict_with(missing);
  EXPECT_THAT(verdict.reasons,
              ElementsAre(IsReasonAbout("libx.so.1", Code::kDependencyMissing, "", "/p/libx.so.1: truncated")));
  EXPECT_THAT(verdict.reasons[0].hint, HasSubstr("in place of that file"));
}

TEST(DependencyChecks, TellsOfFilesThatWerePassedOver) {
  Missing missing = {MissingKind::kLibrary, "libx.so.1", "", "", "", {"/p", "/q"}};
  missing.passed_over = {"/p/libx.so.1 (Permission denied)"};
  const Verdict verdict = verdict_with(missing);
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReasonAbout("libx.so.1", Code::kDependencyMissing, "",
                                                         "/p, /q; passed over: /p/libx.so.1 (Permission denied)")));
  EXPECT_THAT(verdict.reasons[0].hint, HasSubstr("or mend what was passed over"));
}

TEST(DependencyChecks, OnlyNotesWhatWasNotLookedFor) {
  const Missing unknown = {MissingKind::kUnknown, "lib9.so", "", "/p/libmyops_schema.so", "lib9.so", {}};
  const Verdict verdict = verdict_with(unknown);
  EXPECT_THAT(verdict.reasons, IsEmpty());
  EXPECT_THAT(verdict.notes, ElementsAre(HasSubstr("from lib9.so on it is not known")));
  EXPECT_EQ(verdict.kind, VerdictKind::kUsable);
  EXPECT_EQ(verdict.loads, std::nullopt);
}

// Case 23.
TEST(DependencyChecks, NamesATorchSymbolBothTorchesAndTheWayOut) {
  Manifest manifest = samples::schema_manifest();
  manifest.torch.version = "2.15.1";
  const Missing missing = {MissingKind::kSymbol,    "_ZN3c103fooEv", "c10::foo()",
                           "/p/libmyops_schema.so", "libc10.so",     {}};
  const Verdict verdict = verdict_with(missing, manifest);
  EXPECT_THAT(verdict.reasons,
              ElementsAre(IsReasonAbout("c10::foo()", Code::kSymbolMissing, "libc10.so", "torch 2.15.0")));
  EXPECT_EQ(to_text(verdict.reasons[0]),
            "symbol-missing: needs c10::foo() of libc10.so, not defined in torch 2.15.0; "
            "built for torch 2.15.1, this is 2.15.0: rebuild it for torch 2.15");
  EXPECT_EQ(verdict.loads, false);
}

// Case 24.
TEST(DependencyChecks, TellsTheOtherCxx11AbiByTheSymbol) {
  Missing missing = {MissingKind::kSymbol,    "_ZN3c103fooESs", "c10::foo(std::string)",
                     "/p/libmyops_schema.so", "libc10.so",      {}};
  EXPECT_EQ(verdict_with(missing).reasons.at(0).hint,
            "it was built with the old C++ ABI, this torch has the new one: rebuild it with _GLIBCXX_USE_CXX11_ABI=1");
  missing.demangled = "c10::foo(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >)";
  EXPECT_THAT(verdict_with(missing).reasons.at(0).hint, HasSubstr("rebuild it for torch 2.15"));
  missing.demangled = "foo(std::string)";
  missing.expected_in = "libfoo.so";
  EXPECT_THAT(verdict_with(missing).reasons.at(0).hint, HasSubstr("libraries of this machine"));
}

TEST(DependencyChecks, NamesSymbolsOfOtherLibraries) {
  const Missing missing = {MissingKind::kSymbol, "helper", "", "/p/libmyops_schema.so", "", {}};
  const Verdict verdict = verdict_with(missing);
  EXPECT_THAT(verdict.reasons, ElementsAre(IsReasonAbout("helper", Code::kSymbolMissing, "", "")));
  EXPECT_THAT(verdict.reasons[0].hint, HasSubstr("libraries of this machine"));
}

TEST(DependencyChecks, NamesAMissingVersionAndTheLibcPresent) {
  const Missing glibc = {MissingKind::kVersion, "GLIBC_2.38", "", "/p/libmyops_schema.so", "libc.so.6", {}};
  EXPECT_THAT(verdict_with(glibc).reasons,
              ElementsAre(IsReasonAbout("GLIBC_2.38", Code::kSymbolVersionMissing, "libc.so.6", "glibc 2.36")));
  const Missing cxx = {MissingKind::kVersion, "GLIBCXX_3.4.32", "", "/p/libmyops_schema.so", "libstdc++.so.6", {}};
  EXPECT_THAT(verdict_with(cxx).reasons,
              ElementsAre(IsReasonAbout("GLIBCXX_3.4.32", Code::kSymbolVersionMissing, "libstdc++.so.6", "")));
}

TEST(DependencyChecks, ListsAllThatIsMissingInForeignFilesToo) {
  Evidence evidence = samples::foreign_evidence("torchvision");
  for (int i = 0; i < 40; ++i) {
    evidence.missing.push_back({MissingKind::kSymbol, std::string(i, 's'), "", "", "libtorch_cpu.so", {}});
  }
  const Verdict verdict = samples::judged(evidence);
  EXPECT_EQ(verdict.kind, VerdictKind::kForeign);
  EXPECT_EQ(verdict.loads, false);
  EXPECT_THAT(verdict.reasons, SizeIs(41));
  EXPECT_THAT(verdict.reasons[1].hint, HasSubstr("another torch than 2.15.0: rebuild it for torch 2.15"));
}

// Where not everything was looked up, what is missing is, and the rest is not known.
TEST(DependencyChecks, ProvesNothingFromWhatWasNotResolved) {
  Evidence evidence = samples::evidence(samples::schema_manifest());
  evidence.resolved = false;
  EXPECT_THAT(samples::judged(evidence).reasons, IsEmpty());
  EXPECT_EQ(samples::judged(evidence).loads, std::nullopt);
  evidence.missing = {{MissingKind::kLibrary, "libcudart.so.12", "", "", "", {}}};
  EXPECT_THAT(samples::judged(evidence).reasons, ElementsAre(myops::testing::IsReason(Code::kDependencyMissing)));
  EXPECT_EQ(samples::judged(evidence).loads, false);
}

TEST(DependencyChecks, AdvisesToInstallTorchWhereThereIsNone) {
  Evidence evidence = samples::evidence(samples::schema_manifest());
  evidence.missing = {{MissingKind::kLibrary, "libtorch_cpu.so", "", evidence.file.path, "", {}}};
  const Verdict verdict = judge(evidence, samples::host(), std::nullopt, {});
  EXPECT_EQ(verdict.reasons.back().hint, "install torch 2.15.0");
}

}  // namespace
}  // namespace myops::rules
