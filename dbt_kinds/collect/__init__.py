"""The collector: takes events over HTTP and lands them as files, which models of the kind `events` load."""
