"""What those who build softstride run: stages of the checks, kernels ahead of the tests, mutations, references."""
