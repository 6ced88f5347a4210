"""The loop of generations: what each of them plays, learns and is measured against."""
