"""What every part of samuel uses: errors, files, texts, options."""
