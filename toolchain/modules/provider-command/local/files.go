package local

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gobwas/glob"
	"github.com/pulumi/pulumi-go-provider/infer/types"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
)

// collectFiles finds the files that the command was to leave behind.
func (r *Results) collectFiles(settings *Settings) error {
	dir := "."
	if settings.Dir != nil {
		dir = *settings.Dir
	}
	if settings.AssetPaths != nil {
		assets, err := findAssets(dir, settings.AssetPaths)
		if err != nil {
			return err
		}
		found := make(map[string]types.AssetOrArchive, len(assets))
		for path, asset := range assets {
			found[path] = types.AssetOrArchive{Asset: asset}
		}
		r.Assets = &found
	}
	if settings.ArchivePaths != nil {
		assets, err := findAssets(dir, settings.ArchivePaths)
		if err != nil {
			return err
		}
		members := make(map[string]any, len(assets))
		for path, asset := range assets {
			members[path] = asset
		}
		archive, err := resource.NewAssetArchive(members)
		if err != nil {
			return fmt.Errorf("collecting archivePaths: %w", err)
		}
		r.Archive = &types.AssetOrArchive{Archive: archive}
	}
	return nil
}

// rule is one pattern; the last rule that matches a path decides.
type rule struct {
	pattern glob.Glob
	exclude bool
}

func findAssets(dir string, patterns []string) (map[string]*resource.Asset, error) {
	rules := make([]rule, 0, len(patterns))
	for _, text := range patterns {
		pattern, err := glob.Compile(strings.TrimPrefix(text, "!"), '/')
		if err != nil {
			return nil, fmt.Errorf("reading path pattern %q: %w", text, err)
		}
		rules = append(rules, rule{pattern, strings.HasPrefix(text, "!")})
	}
	assets := map[string]*resource.Asset{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !included(rules, path) {
			return err
		}
		asset, err := resource.NewPathAsset(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		assets[path] = asset
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("collecting files in %s: %w", dir, err)
	}
	return assets, nil
}

func included(rules []rule, path string) bool {
	wanted := false
	for _, each := range rules {
		if each.pattern.Match(path) {
			wanted = !each.exclude
		}
	}
	return wanted
}
